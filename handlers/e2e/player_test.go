package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pair returns a user with two finished videos of different shapes and lengths, and the
// path of the page that compares them.
func pair(t *testing.T) (*person, string) {
	t.Helper()
	who := sharedServer(t).member(t)
	address := "/compare?"
	for _, form := range []url.Values{
		{"prompt": {"A long boat"}, "duration": {"2"}, "aspect_ratio": {"16:9"}},
		{"prompt": {"A short boat"}, "duration": {"1"}, "aspect_ratio": {"1:1"}},
	} {
		form.Set("model", "quick")
		path := who.makeOf(t, "text-to-video", form)
		who.finish(t, path)
		address += "id=" + strings.TrimPrefix(path, "/tasks/") + "&"
	}
	return who, address
}

// These are expressions about the two videos that are compared.
const (
	bothAtRest = `(v => v.length === 2 && v.every(v => v.readyState >= 2 && v.paused && !v.seeking))([...document.querySelectorAll(".beside video")])`
	bothRun    = `(([a, b]) => !a.paused && !b.paused && a.currentTime > 0.1 && b.currentTime > 0.1 && Math.abs(a.currentTime - b.currentTime) < 0.1)([...document.querySelectorAll(".beside video")])`
	bothTimes  = `[...document.querySelectorAll(".beside video")].map(v => v.currentTime)`
	playerSaid = `document.querySelector("[data-said]").textContent`
	playerTime = `+document.querySelector("[data-time]").value`

	// toldLate delays each requestVideoFrameCallback by one frame, like a busy browser.
	toldLate = `document.querySelectorAll(".beside video").forEach(v => {
		let before;
		v.requestVideoFrameCallback = told => HTMLVideoElement.prototype.requestVideoFrameCallback.call(v, (now, frame) => {
			const late = before ?? frame;
			before = frame;
			told(now, late);
		});
	})`
)

func TestComparedVideosRunInStep(t *testing.T) {
	t.Parallel()
	who, address := pair(t)
	p := newTabOf(t, who)
	p.open(address)
	p.await("both are ready", bothAtRest)
	p.press(" ")
	p.await("both run together", bothRun)
	p.await("that is said", playerSaid+` === "Playing"`)
	p.press(" ")
	p.await("both stand still", bothAtRest)
	p.await("that is said", playerSaid+` === "Paused"`)
	p.press(kb.Home)
	p.await("both are at the beginning", bothAtRest+` && `+bothTimes+`.every(t => t === 0)`)
	get[bool](p, toldLate+"; true")
	for frame := 1; frame <= 3; frame++ {
		p.press(kb.ArrowRight)
		p.await(fmt.Sprintf("both show frame %d", frame), fmt.Sprintf(bothAtRest+` && `+bothTimes+`.every(t => Math.floor(t * 24) === %d)`, frame))
	}
	p.press(kb.ArrowLeft)
	p.await("both have gone back by one", bothAtRest+` && `+bothTimes+`.every(t => Math.floor(t * 24) === 2)`)
	p.press(kb.ArrowRight, chromedp.ModifierShift)
	p.await("a second later the shorter one holds its last frame", bothAtRest+` && Math.abs(`+bothTimes+`[0] - 1.1) < 0.1 && `+bothTimes+`[1] > 0.95`)
	p.press("l")
	p.await("it loops", `document.querySelector("[data-do=loop]").ariaPressed === "true"`)
	p.press(" ")
	p.await("the end is near", playerTime+` > 1.5`)
	p.await("both begin again together", playerTime+` < 0.9 && `+bothRun)
	p.tabTo("[data-time]")
	p.press(" ")
	p.await("both stand still", bothAtRest)
	p.await("the slider speaks in words", `/^[\d.]+ seconds? of 2 seconds$/.test(document.querySelector("[data-time]").ariaValueText)`)
}

func TestOneOfTheComparedIsHeardAndStarred(t *testing.T) {
	t.Parallel()
	who, address := pair(t)
	p := newTabOf(t, who)
	p.open(address)
	muted := `[...document.querySelectorAll(".beside video")].map(v => +v.muted).join("")`
	p.await("none is heard", bothAtRest+` && `+muted+` === "11"`)
	for _, want := range []string{"01", "10", "11"} {
		p.press("m")
		p.await("the next one is heard", fmt.Sprintf(muted+` === %q`, want))
	}
	p.click("[data-star]")
	p.await("the best one has a star", `document.querySelector("[data-star]").ariaPressed === "true"`)
	p.await("it is saved", `performance.getEntriesByType("resource").some(e => e.name.endsWith("/tasks/star") && e.responseStatus === 200)`)
	p.open(address)
	p.await("it keeps the star", `document.querySelector("[data-star]").ariaPressed === "true"`)
}

func TestWithoutScriptComparedVideosHaveTheirOwnControls(t *testing.T) {
	t.Parallel()
	who, address := pair(t)
	p := newTabOf(t, who)
	p.withoutScript()
	p.open(address)
	p.await("both can be played", `document.querySelectorAll(".beside video[controls]").length === 2`)
	p.await("no bar does nothing", `!document.querySelector("[data-transport]").getClientRects().length`)
}

func TestAFrameIsPickedWithTheKeyboardAndTheStoryPlays(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	first := who.make(t, "The first scene")
	who.finish(t, first)
	p := newTabOf(t, who)
	p.open(first)
	p.await("the player is there", `document.querySelector("[data-player]").bar && document.querySelector(".film video").readyState >= 1`)
	frame := `Math.floor(document.querySelector(".film video").currentTime * 24)`
	p.await("it plays by itself", `document.querySelector(".film video").currentTime > 0`)
	p.press(",")
	p.await("it stands still", `document.querySelector(".film video").paused`)
	p.press(kb.End)
	p.await("the last frame shows", frame+` === 23`)
	p.press(",")
	p.await("the frame before shows", frame+` === 22 && !document.querySelector(".film video").seeking`)
	p.tabTo("[data-time]")
	p.press(kb.ArrowLeft)
	p.await("the frame two before shows", frame+` === 21`)
	if got := get[string](p, `document.querySelector("[data-time]").ariaValueText`); got != "0.9 seconds of 1 second" {
		t.Errorf("the slider says %q", got)
	}
	p.tabTo("[data-next-here]")
	p.leave(func() { p.press(kb.Enter) })
	p.awaitPath("/create/image-to-video?from=" + strings.TrimPrefix(first, "/tasks/"))
	p.await("the frame is in the form", `document.querySelector("[data-preview]").naturalWidth > 0`)
	p.awaitText("main", "854 × 480") // the frame has its full size, although it is displayed small
	p.awaitText(".toast", "the frame at 0.90 s")
	p.tabTo(promptField)
	p.press("The second scene")
	p.tabTo(makeButton)
	p.leave(func() { p.press(kb.Enter) })
	p.awaitVideo()

	next := get[string](p, `document.querySelector("#latest .under h2 a").getAttribute("href")`)
	p.open(next)
	p.awaitText(".story-link", "Scene 2 of 2")
	p.tabTo(".story-link a")
	p.leave(func() { p.press(kb.Enter) })
	p.awaitPath("/story/")
	p.await("both scenes are known", `document.querySelector("[data-clock]").textContent.endsWith("/ 0:02.00")`)
	p.press(kb.Home)
	p.press(" ")
	p.await("the first scene runs", `document.querySelector("[data-scene='0']").ariaCurrent === "true" && `+playerTime+` > 0.2`)
	p.await("the second scene follows", `document.querySelector("[data-scene='1']").ariaCurrent === "true" && `+playerTime+` > 1.1`)
	p.await("it ends with the second", playerTime+` > 1.95 && !document.querySelector("[data-running]")`)
}

func TestWithoutScriptAPictureBeginsTheNextScene(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	first := who.make(t, "Continued by hand")
	who.finish(t, first)
	p := newTabOf(t, who)
	p.withoutScript()
	p.open(first)
	p.clickText(".vacts a", "Next scene")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#frame"), []string{photoFile(t)}))
	p.leave(func() { p.clickText("#next button", "Use this picture") })
	p.awaitPath("/create/image-to-video?from=")
	p.await("the picture is in the form", `document.querySelector("[data-preview]").naturalWidth === 320`)
	p.open("/story/" + strings.TrimPrefix(first, "/tasks/"))
	p.await("the scene can be played", `document.querySelector("[data-scene] video[controls]")`)
	p.await("nothing shows that needs script", `!document.querySelector(".story-stage").getClientRects().length`)
}

func TestThePlayerComesWhenTheVideoIsMade(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open(who.make(t, "It is still being made"))
	p.mark()
	const video = `document.querySelector(".film video")`
	p.awaitFor(videoPatience, "the video and its deck are there", `document.querySelector("[data-player]")?.bar && `+video)
	p.await("what can be done with it has come too", `document.querySelector("[data-share-link]")`)
	p.await("it plays by itself, without a sound and to its end", video+`.muted && `+video+`.ended`)
	p.do(chromedp.Focus(chromedp.CSS("[data-do=play]")))
	p.press(" ")
	p.await("the space bar plays it again, once", video+`.currentTime > 0.2 && !`+video+`.ended`)
	p.await("and to its end", video+`.ended`)
	p.press(kb.Home)
	p.press(kb.ArrowRight)
	p.await("it has gone on by one frame", `(t => t > 1 / 24 && t < 2 / 24)(`+video+`.currentTime)`)
	p.press("l")
	p.await("it loops", `document.querySelector("[data-do=loop]").ariaPressed === "true" && `+video+`.loop`)
	p.press("m")
	p.await("it is heard", `!`+video+`.muted`)
	p.press("m")
	p.await("it is silent", `document.querySelector("[data-do=mute]").ariaPressed === "true" && `+video+`.muted`)
	p.stayed()
	p.press(kb.End)
	p.leave(func() { p.click("[data-next-here]") })
	p.awaitText(".toast", "the frame at 0.98 s")
}

// tabStops returns how often Tab must be pressed until the element has the focus.
func (p *tab) tabStops(selector string) (n int) {
	p.t.Helper()
	for ; n < 60 && !get[bool](p, focused(selector)); n++ {
		p.press(kb.Tab)
	}
	return n
}

func TestThePromptAndTheButtonAreAFewStopsAway(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	const most = 6
	p.press(kb.Tab)
	p.await("the first stop is the link to the prompt", focused(`a.skip[href='#prompt']`))
	p.press(kb.Enter)
	p.await("it leads there", focused("#prompt"))
	if n := p.tabStops(".make"); n > most {
		t.Errorf("from the prompt to the button it takes %d stops, want at most %d", n, most)
	}
}

func TestFocusStaysWhereSomethingWasDone(t *testing.T) {
	t.Parallel()
	who, pictures := sharedServer(t).member(t), newPictures(t)
	p := newTabOf(t, who)
	p.open("/create/image-to-video")
	p.fill(promptField, "This one goes wrong #fail")
	p.pick("duration", "1 s")
	p.await("the option that was chosen has the focus", focused("#open-duration"))
	p.fillPicture(0, pictures+"/lake.png")
	p.click("[data-remove]")
	p.await("without the picture, the prompt of the other scene has it", focused("#prompt")+` && location.pathname === "/create/text-to-video"`)
	p.clickText(".toast button", "Undo")
	p.await("the picture is back", `location.pathname === "/create/image-to-video" && document.querySelector("[name=image_input]").value`)
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.await("the button that was pressed has it", focused(".make"))
	p.awaitFor(videoPatience, "the video has failed", `document.querySelector(".take.fail .x")`)
	p.click(".take.fail .x")
	p.await("without the failed one, the prompt has it", `!document.querySelector(".take.fail") && `+focused("#prompt"))
}

// hearing records the text of every live region, which screen readers read out, and the
// announced state of the first video in the filmstrip, whenever they change.
const hearing = `(() => {
	window.heard = []; window.became = [];
	const regions = "[role=status], [role=alert], [aria-live]";
	const note = all => {
		for (const { target } of all) {
			const region = (target.closest ? target : target.parentElement)?.closest(regions), words = region?.textContent.trim();
			if (words) window.heard.push(words);
		}
		const said = document.querySelector(".take")?.dataset.said;
		if (said && said !== window.became.at(-1)) window.became.push(said);
	};
	document.addEventListener("DOMContentLoaded", () => {
		note([]);
		new MutationObserver(note).observe(document.body, {subtree: true, childList: true, characterData: true, attributeFilter: ["data-said"]});
	});
})()`

func TestScreenReadersHearEachStateOnce(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "A film that is listened to")
	tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hearing})
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
	p.await("that it is ready is told", `window.heard.at(-1)?.endsWith("is ready.")`)
	if heard, became := get[[]string](p, `window.heard`), get[[]string](p, `window.became`); !slices.Equal(heard, became) {
		t.Errorf("what is told is %q, what became of the video %q", heard, became)
	}
}

// replace puts one of the small films that package splice is tested with in the place of a
// video's file, as if an earlier version had stored it, and waits until it has been read.
func (s *server) replace(t *testing.T, who *person, path, name, kind, read string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "db", "media", "splice", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	blob := filepath.Join(s.dir, "media", hash[:2], hash[2:])
	if err := os.MkdirAll(filepath.Dir(blob), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blob, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s.change(t, fmt.Sprintf(`UPDATE media SET hash = '%s', size = %d, type = '%s' WHERE kind = 'video' AND task_id = %s`, hash, len(content), kind, strings.TrimPrefix(path, "/tasks/")))
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		page, err := who.get(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, read) {
			return
		}
	}
	t.Fatalf("%s was not read", name)
}

// notice is what stands over the film, and shown is whether it is seen.
const (
	notice      = `document.querySelector(".film .unplayable")`
	noticeShown = notice + `?.checkVisibility() === true`
)

func TestAFilmThatTheBrowserCannotShowSaysSoBeforeItIsPlayed(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	who := s.member(t)
	good, hevc, sound := who.make(t, "A good film"), who.make(t, "A film in H.265"), who.make(t, "Sound alone")
	for _, path := range []string{good, hevc, sound} {
		who.finish(t, path)
	}
	s.replace(t, who, hevc, "hevc-sound.mp4", "video/mp4", "H.265")
	s.replace(t, who, sound, "sound-only.mp4", "video/mp4", "no picture")
	open, closed := who.share(t, hevc, "title=With&download=on"), who.share(t, hevc, "title=Without")
	dir := os.Getenv("DAILIES_SCREENSHOTS")

	p := newTabOf(t, who)
	judged := `!!` + notice + `?.judged`
	p.open(good)
	p.await("the browser was asked", judged)
	p.await("the film is there", `document.querySelector(".film video").readyState > 0`)
	p.await("nothing is said", `!(`+noticeShown+`)`)
	for i, l := range looks {
		p.setLook(l)
		p.open(hevc)
		p.await("that it cannot be played is said", noticeShown+` && `+notice+`.textContent.includes("This browser can’t play this file (H.265).")`)
		p.await("it does not play by itself", `document.querySelector(".film video").paused`)
		p.await("it is offered", notice+`.querySelector("a").href.endsWith("?download=1")`)
		p.await("the notice is within the film", `(([a, b]) => a.top >= b.top - 1 && a.bottom <= b.bottom + 1)([`+notice+`, document.querySelector(".film")].map(e => e.getBoundingClientRect()))`)
		if dir != "" {
			p.save(filepath.Join(dir, fmt.Sprintf("unplayable-%d-%s.png", i, l.name)))
		}
	}
	p.setLook(looks[0])
	p.open(sound)
	p.await("that it has no picture is said", noticeShown+` && `+notice+`.textContent.includes("sound but no picture")`)
	p.open("/gallery?who=me")
	p.await("two tiles say so", `[...document.querySelectorAll(".cell .mark")].filter(e => e.checkVisibility()).map(e => e.textContent).join().includes("Can’t play here")`)
	if dir != "" {
		p.save(filepath.Join(dir, "unplayable-gallery.png"))
	}
	p.open("/compare?id=" + strings.TrimPrefix(good, "/tasks/") + "&id=" + strings.TrimPrefix(hevc, "/tasks/"))
	p.await("of two, one says so", `[...document.querySelectorAll(".unplayable")].filter(e => e.checkVisibility()).length === 1`)

	guest := newTab(t, who.base)
	for link, offered := range map[string]bool{open: true, closed: false} {
		guest.open(link)
		guest.await("the guest is told", noticeShown+` && `+notice+`.textContent.includes("H.265")`)
		guest.await("and offered what is allowed", fmt.Sprintf(`!!%s.querySelector("a") === %v && %s.textContent.includes("Ask for another file") === %v`, notice, offered, notice, !offered))
	}
	if dir != "" {
		guest.save(filepath.Join(dir, "unplayable-guest.png"))
	}
	plain := newTab(t, who.base)
	plain.withoutScript()
	plain.open(closed)
	if dir != "" {
		plain.save(filepath.Join(dir, "unplayable-plain.png"))
	}
}
