package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// No single colour fills more than three quarters of the stage while a video is made,
// whatever there is to show meanwhile.
func TestTheStageIsNeverBlank(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	first, again, pictured := s.member(t), s.member(t), s.member(t)
	first.make(t, "A red tea tin on a mossy stone #slow")
	again.finish(t, again.make(t, "Harbour at dawn"))
	again.make(t, "The harbour in the evening #slow")
	pictured.makeOf(t, "image-to-video", url.Values{"model": {"quick"}, "prompt": {"The lake wakes up #slow"}, "duration": {"1"}, "image_input": {newPictures(t) + "/lake.png"}})
	for _, tt := range []struct {
		who         *person
		whose, says string
	}{{first, "", "A red tea tin on a mossy stone"}, {again, "Your last video", ""}, {pictured, "Your picture", ""}} {
		p := newTabOf(t, tt.who)
		p.open("/create/text-to-video")
		p.await("it is being made", `!!document.querySelector("#latest .making")`)
		if tt.whose != "" {
			p.awaitText("#latest .whose", tt.whose)
			p.await("its picture is there, and small", `(ghost => ghost.naturalWidth > 0 && Math.max(ghost.naturalWidth, ghost.naturalHeight) <= 640)(document.querySelector("#latest .ghost"))`)
		} else {
			p.awaitText("#latest .making .words", tt.says)
		}
		if tt.who == again {
			p.await("it is loaded already", `document.querySelector("#latest .ghost").src === document.querySelector(".take:not(.run) img").src`)
		}
		for _, l := range looks {
			p.setLook(l)
			if share, most := p.plainest("#latest .film"); share > 0.75 {
				t.Errorf("%q, %s: %v fills %.0f %% of the stage", tt.whose, l.name, most, 100*share)
			}
		}
	}
}

// plainest returns the colour that fills most of the element, and its share. Colours that
// differ by less than a sixteenth count as the same.
func (p *tab) plainest(selector string) (share float64, most color.Color) {
	p.t.Helper()
	at := get[[]float64](p, fmt.Sprintf(`(r => [r.x, r.y, r.width, r.height])(document.querySelector(%q).getBoundingClientRect())`, selector))
	ctx, cancel := p.within()
	defer cancel()
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &page.Viewport{X: at[0], Y: at[1], Width: at[2], Height: at[3], Scale: 1}})
	if err != nil {
		p.t.Fatal(err)
	}
	picture, _, err := image.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		p.t.Fatal(err)
	}
	seen, all := map[color.RGBA]int{}, picture.Bounds()
	for y := range all.Dy() {
		for x := range all.Dx() {
			r, g, b, _ := picture.At(all.Min.X+x, all.Min.Y+y).RGBA()
			seen[color.RGBA{uint8(r >> 12 << 4), uint8(g >> 12 << 4), uint8(b >> 12 << 4), 255}]++
		}
	}
	for c, n := range seen {
		if found := float64(n) / float64(all.Dx()*all.Dy()); found > share {
			share, most = found, c
		}
	}
	return share, most
}

// asksFirst makes the page believe that its browser asks the user about notifications. The
// test answers with p.answer.
const asksFirst = `window.Notification = class {
	static permission = sessionStorage.permission ?? "default";
	static requestPermission() {
		return new Promise(done => { window.answerBrowser = answer => { Notification.permission = sessionStorage.permission = answer; done(answer); }; });
	}
}`

func (p *tab) answer(permission string) {
	p.t.Helper()
	p.await("the browser asks", `window.answerBrowser`)
	get[bool](p, fmt.Sprintf(`(answerBrowser(%q), true)`, permission))
}

func TestTellMeAsksInPlace(t *testing.T) {
	t.Parallel()
	s := newPlainServer(t)
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	who := s.member(t)
	who.makeOf(t, "text-to-video", url.Values{"model": {"seedance-2.0-fast"}, "prompt": {"It takes its time #slow"}, "duration": {"4"}, "resolution": {"480p"}})
	p := newTabOf(t, who)
	tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: asksFirst})
	p.open("/create/text-to-video")
	p.clickText("[data-tell] button", "Tell me when it’s done")
	p.awaitText("[data-tell] [role=status]", "Press Allow in your browser’s question.")
	p.answer("granted")
	p.awaitText("[data-tell] [role=status]", "We’ll tell you here.")
	p.await("the focus is not lost", focused("[data-tell] button"))
	p.open("/create/text-to-video")
	p.awaitText("[data-tell]", "We’ll tell you here.")
	p.clickText("[data-tell] button", "Undo")
	p.awaitText("[data-tell] button", "Tell me when it’s done")
	p.open("/settings#notices")
	p.await("they are off", `document.querySelector("[data-notices-on]").checkVisibility() && !document.querySelector("[data-notices-off]").checkVisibility()`)

	get[bool](p, `delete sessionStorage.permission`)
	p.open("/create/text-to-video")
	p.clickText("[data-tell] button", "Tell me when it’s done")
	p.answer("denied")
	p.awaitText("[data-tell]", "Your browser blocks notifications.")
	p.clickText("[data-tell] button", "Email me instead")
	p.awaitText("[data-tell]", "We’ll email you.")
	if settings, err := who.get("/settings"); err != nil || !strings.Contains(settings, `value="ready" checked`) {
		t.Errorf("mails are not on: %v", err)
	}
	p.clickText("[data-tell] button", "Undo")
	p.awaitText("[data-tell] button", "Tell me when it’s done")
	if settings, err := who.get("/settings"); err != nil || strings.Contains(settings, `value="ready" checked`) {
		t.Errorf("mails are on: %v", err)
	}
	p.withoutScript()
	p.open("/create/text-to-video")
	p.leave(func() { p.clickText("[data-tell] a", "Tell me when it’s done") })
	p.awaitPath("/settings")
}

// A video that becomes ready while somebody looks plays once, and then stays at its end.
func TestAVideoThatIsReadyPlaysOnce(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	who.finish(t, who.make(t, "What was there before"))
	const video = `document.querySelector("#latest video")`
	for name, motion := range map[string]string{"any motion": "no-preference", "less motion": "reduce"} {
		p := newTabOf(t, who)
		p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: motion}})
		path := who.make(t, name)
		p.open("/create/text-to-video")
		p.awaitFor(videoPatience, "the video is there", fmt.Sprintf(`document.querySelector("#video-%s")`, path[len("/tasks/"):]))
		p.await("it is seen", `getComputedStyle(`+video+`).opacity === "1" && [...document.querySelectorAll("#latest .film > .ghost")].every(ghost => getComputedStyle(ghost).opacity === "0")`)
		if motion == "reduce" {
			if !get[bool](p, video+`.paused && `+video+`.currentTime === 0 && `+video+`.loop`) {
				t.Errorf("%s: it plays", name)
			}
			continue
		}
		p.await("it plays to its end", video+`.muted && `+video+`.paused && `+video+`.currentTime > `+video+`.duration - 0.1`)
		if get[bool](p, `!`+video+`.loop`) {
			t.Error("it would not be repeated, if it were played again")
		}
	}
}

func TestTheNextSceneTakesOneClickOnTheStage(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "The first of two scenes")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.await("the page is whole, with its scripts", `document.readyState === "complete"`)
	p.leave(func() { p.clickText("#latest .acts a", "Next scene") })
	p.awaitPath("/create/image-to-video?from=" + path[len("/tasks/"):])
	p.await("the frame is the start picture", `document.querySelector("[data-picture] img").naturalWidth > 0`)
	p.awaitText(".toast", "Your next scene starts with the frame at 0.98 s.")
	p.withoutScript()
	p.open("/create/text-to-video")
	p.leave(func() { p.clickText("#latest .acts a", "Next scene") })
	p.awaitPath(path)
}

// A table's videos are called a batch, and stay inside the stage.
func TestABatchStaysInsideTheStage(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	made, err := who.post("/recipes", url.Values{
		"name": {"Tea moment"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"Tea in the {{place}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.open(regexp.MustCompile(`/recipes/\d+/batch`).FindString(made))
	get[bool](p, `(table => { table.value = "garden\nhall\nattic\nkitchen\nharbour\ntram\nboat\nhut\ntent\ncar"; return table.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#table"))`)
	p.leave(func() { p.clickText(makeButton, "Check table") })
	p.leave(func() { p.clickText(makeButton, "Make 10 videos") })
	p.open("/create/text-to-video")
	p.awaitText("#latest .shot.batch", "Batch: Tea moment, 10 videos")
	if text := get[string](p, `document.querySelector("#latest").innerText`); strings.Contains(text, " takes") || strings.Contains(text, "Take ") {
		t.Errorf("rows of a table are called takes: %s", text)
	}
	for _, size := range [][2]int64{{2560, 1440}, {1440, 900}, {768, 1024}, {390, 844}, {320, 640}} {
		p.size(size[0], size[1])
		const inside = `(stage => [...document.querySelectorAll(".shot.batch > *")].every(e => e.getBoundingClientRect().right <= stage.right + 6))(document.querySelector("#latest").getBoundingClientRect())`
		p.await(fmt.Sprintf("the batch is inside the stage at %d", size[0]), inside)
	}
	p.leave(func() { p.clickText(".shot.batch a", "Open batch") })
	p.awaitPath("/batches/")
}
