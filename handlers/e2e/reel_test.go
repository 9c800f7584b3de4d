package e2e

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// shareReel makes a collection of two videos and a link to it, and returns the link.
func shareReel(t *testing.T, who *person) string {
	t.Helper()
	var ids []string
	for _, words := range []string{"A zebra crosses the road", "The harbour at night"} {
		path := who.make(t, words)
		who.finish(t, path)
		ids = append(ids, strings.TrimPrefix(path, "/tasks/"))
	}
	page, err := who.post("/collections", url.Values{"name": {"Autumn of " + who.name}})
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`/collections/\d+`).FindString(page)
	if _, err := who.post("/collections/add", url.Values{"id": ids, "collection": {strings.TrimPrefix(at, "/collections/")}}); err != nil {
		t.Fatal(err)
	}
	page, err = who.post(at+"/share", url.Values{"days": {"7"}, "download": {"on"}})
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`/share/[A-Z0-9]+`).FindString(page)
}

const (
	playsSecond = `document.querySelector(".playlist a:nth-child(2)").ariaCurrent === "true" && document.querySelector(".film video").currentTime > 0.1`
	nextIsUp    = `!document.querySelector("[data-next-up]").hidden`
)

func TestAReelContinuesByItself(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.open(link)
	p.awaitText("h1", "Autumn of "+who.name)
	p.plays(".film video")
	p.await("the next one is offered when it has ended", nextIsUp)
	p.awaitText("[data-next-count]", "Starts in")
	p.awaitText("[data-next-name]", "Video 2 of 2")
	p.await("the second one plays by itself", playsSecond)
	p.await("the page says so", `document.querySelector(".facts-line").innerText.includes("Video 2 of 2") && document.querySelector("[data-reel-download]").pathname === new URL(document.querySelector(".film video").src).pathname`)
	p.await("then there is no more", `!document.querySelector("[data-reel-end]").hidden`)
	p.clickText("[data-reel-end] button", "Watch again")
	p.await("it begins again", `document.querySelector(".playlist a").ariaCurrent === "true" && document.querySelector(".film video").currentTime > 0.1`)
	p.await("the next one is offered", nextIsUp)
	p.clickText("[data-next-up] button", "Stay here")
	p.await("the focus is at the player", focused("[data-do=play]"))
	p.press(" ")
	p.await("it is offered again without a countdown", nextIsUp+` && document.querySelector("[data-next-count]").textContent === ""`)
	p.clickText("[data-next-up] button", "Play now")
	p.await("the second one plays", playsSecond)
	for _, width := range []int64{320, 390, 768, 1440, 2560} {
		p.size(width, 800)
		p.fits(width)
	}
}

func TestAReelCountsNothingDownUnderReducedMotion(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	p.open(link)
	p.plays(".film video")
	p.await("the next one waits for a press", nextIsUp+` && document.querySelector("[data-next-count]").textContent === ""`)
	p.clickText("[data-next-up] button", "Play now")
	p.await("the second one plays", playsSecond)
}

func TestAReelWithoutScriptHasAPageForEachVideo(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.withoutScript()
	p.open(link)
	first := get[string](p, `document.querySelector(".film video[controls]").src`)
	p.leave(func() { p.click(".playlist a:nth-child(2)") })
	p.awaitText(".facts-line", "Video 2 of 2")
	if second := get[string](p, `document.querySelector(".film video[controls]").src`); second == first {
		t.Error("it shows the same video")
	}
}

func TestAGuestWatchesAStorylineAsOneFilm(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page := twoScenes(t, who)
	answer, err := who.post(page+"/share", url.Values{"title": {"Morning tea"}})
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`/share/[A-Z0-9]+`).FindString(answer)
	p := newTab(t, who.base)
	p.open(link)
	p.awaitText("h1", "Morning tea")
	p.await("it is as long as both scenes", `Math.abs(document.querySelector("[data-time]").max - 2) < 0.05`)
	p.await("the cut is marked", `document.querySelectorAll(".cuts-on i").length === 1`)
	p.plays(".film video[data-on]")
	p.await("it plays to its end", playerTime+` > 1.9 && !document.querySelector("[data-running]")`)
	if get[bool](p, `document.querySelector(".playlist").getClientRects().length > 0`) {
		t.Error("the scenes are listed")
	}
	q := newTab(t, who.base)
	q.withoutScript()
	q.open(link)
	q.leave(func() { q.click(".playlist a:nth-child(2)") })
	q.await("the second scene can be played", `document.querySelector(".playlist a:nth-child(2)").ariaCurrent === "true" && document.querySelector(".film video[controls]")`)
}
