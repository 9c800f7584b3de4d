package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// twoScenes returns the page of a storyline of two scenes, 24 frames each.
func twoScenes(t *testing.T, who *person) string {
	t.Helper()
	first := who.make(t, "The first of two scenes")
	who.finish(t, first)
	second := who.makeOf(t, "text-to-video", url.Values{
		"model": {"quick"}, "duration": {"1"}, "prompt": {"The second of two scenes"}, "from": {strings.TrimPrefix(first, "/tasks/")}, "use": {"next"},
	})
	who.finish(t, second)
	return "/story/" + strings.TrimPrefix(second, "/tasks/")
}

// playFilm plays the film that the page offers for download.
const playFilm = `(() => {
	window.film = document.createElement("video");
	film.muted = true;
	film.src = document.querySelector("#story-film a[href$='/film']").href;
	film.play();
	return true;
})()`

func TestScenesAreOrderedAndCutAndPlayAsOneFilm(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page := twoScenes(t, who)
	p := newTabOf(t, who)
	p.recordAnnouncements()
	p.open(page)
	p.awaitText("#story-film", "48 frames, 2 s,")
	p.awaitText("[data-scene='1']", "The second of two scenes")

	p.tabTo("[data-clip]:first-child .reel-pics")
	p.press(kb.Enter)
	p.await("the first scene is chosen", `document.querySelector("[data-scene='0']").ariaCurrent === "true"`)
	p.tabTo("[data-scene='0'] [name=last]")
	p.press("a", ctrl)
	p.press("12")
	p.press(kb.Enter)
	p.awaitText("#story-film", "36 frames, 1.5 s,")
	p.await("the player shows the last frame that is kept", `(v => !v.seeking && Math.floor(v.currentTime * 24) === 11)(document.querySelector(".story-stage video[data-on]"))`)
	p.await("the player knows how long it is", `Math.abs(document.querySelector("[data-time]").max - 1.5) < 0.01`)
	p.tabTo("[data-scene='0'] [name=later]")
	p.announces("This is scene 2 of 2 now. 36 frames", func() { p.press(kb.Enter) })
	p.await("the scenes have changed places", `document.querySelector("[data-scene='1']").innerText.includes("The first of two scenes")`)
	p.await("the focus stays with the scene", `document.activeElement.matches("[data-scene='1'] [name=earlier]")`)
	p.await("it is saved", `performance.getEntriesByType("resource").filter(e => e.initiatorType === "fetch" && e.name.includes("/story/")).length >= 2`)

	p.open(page)
	p.awaitText("[data-scene='0']", "The second of two scenes")
	p.await("the cut is kept", `document.querySelector("[data-scene='1'] [name=last]").value === "12"`)
	p.press(kb.Home)
	p.press(" ")
	p.await("the cut scene follows", `document.querySelector("[data-scene='1']").ariaCurrent === "true" && `+playerTime+` > 1.1`)
	p.await("it ends where it is cut", playerTime+` > 1.45 && !document.querySelector("[data-running]")`)
	get[bool](p, playFilm)
	p.await("the film plays to its end", `window.film.ended && Math.abs(window.film.duration - 1.5) < 0.01`)
}

func TestWithoutScriptScenesAreOrderedAndCut(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page := twoScenes(t, who)
	p := newTabOf(t, who)
	p.withoutScript()
	p.open(page)
	p.fill("[data-scene='0'] [name=last]", "6")
	p.leave(func() { p.click("[data-scene='0'] [name=later]") })
	p.awaitText("main", "30 frames, 1.25 s")
	p.awaitText("[data-scene='1']", "The first of two scenes")
	p.await("the cut is kept", `document.querySelector("[data-scene='1'] [name=last]").value === "6"`)
}
