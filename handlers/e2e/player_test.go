package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

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
