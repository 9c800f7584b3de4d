package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// plays is true while the card's preview plays, muted.
const plays = `(v => v && v.muted && !v.paused && v.currentTime > 0)(document.querySelector(".preview"))`

// twoFilms returns a user with two videos, and a tab with their gallery.
func twoFilms(t *testing.T) (*person, *tab) {
	t.Helper()
	who := sharedServer(t).member(t)
	first, second := who.make(t, "The first film"), who.make(t, "The second film")
	who.finish(t, first)
	who.finish(t, second)
	p := newTabOf(t, who)
	p.open("/gallery?who=me")
	return who, p
}

// point moves the mouse to the middle of the element, or away from everything if the
// selector is empty.
func (p *tab) point(selector string) {
	p.t.Helper()
	at := []float64{1, 1}
	if selector != "" {
		at = get[[]float64](p, fmt.Sprintf(`(e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })(document.querySelector(%q))`, selector))
	}
	move := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1], PointerType: "mouse"}
	tell(p, input.DispatchMouseEvent, move)
}

func TestACardPlaysWhileSomebodyPointsAtIt(t *testing.T) {
	t.Parallel()
	_, p := twoFilms(t)
	p.await("two cards are there", cards+` === 2`)
	before := get[float64](p, `document.querySelector("[data-card]").offsetHeight`)
	p.point("[data-card] > a")
	p.await("the card plays", plays)
	if after := get[float64](p, `document.querySelector("[data-card]").offsetHeight`); after != before {
		t.Errorf("the card was %v high and is %v", before, after)
	}
	p.point(".cell:nth-child(2) > a")
	p.await("only the other one plays", plays+` && document.querySelectorAll(".preview").length === 1 && document.querySelectorAll("[data-card]")[1].contains(document.querySelector(".preview"))`)
	p.point("")
	p.await("nothing is left of it", `!document.querySelector(".preview")`)
}

func TestACardPlaysForTheKeyboard(t *testing.T) {
	t.Parallel()
	_, p := twoFilms(t)
	p.tabTo("[data-card] > a")
	p.await("the card plays", plays)
	p.press(" ")
	p.await("it has stopped", `!document.querySelector(".preview") && document.querySelector("[data-play]").ariaPressed === "false"`)
	p.press(" ")
	p.await("it plays again", plays+` && document.querySelector("[data-play]").ariaPressed === "true"`)
}

func TestACardPlaysOnlyOnRequestWithReducedMotion(t *testing.T) {
	t.Parallel()
	_, p := twoFilms(t)
	calm := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}
	tell(p, emulation.SetEmulatedMedia, calm)
	p.tabTo("[data-play]")
	p.press(kb.Enter)
	p.await("it plays when asked to", plays)
	p.press(kb.Enter)
	p.await("it has stopped", `!document.querySelector(".preview")`)
	p.point("[data-card] > a")
	// Since nothing is expected to happen, wait until the delay before a preview starts
	// has passed.
	get[bool](p, `(window.later = false, setTimeout(() => window.later = true, 600), true)`)
	p.await("the pause is over", `window.later`)
	if get[bool](p, `!!document.querySelector(".preview")`) {
		t.Error("it plays without being asked")
	}
}

func TestAStarNeedsNoNewPage(t *testing.T) {
	t.Parallel()
	who, p := twoFilms(t)
	p.mark()
	p.point("[data-card] > a")
	p.click("[data-star]")
	p.await("it is starred", `document.querySelector("[data-star]").ariaPressed === "true"`)
	p.tabTo("[data-star][aria-pressed=false]")
	p.press(kb.Enter)
	p.await("so is the other, which keeps the focus", `document.querySelectorAll("[data-star][aria-pressed=true]").length === 2 && document.activeElement.matches("[data-star]")`)
	if said := get[string](p, `document.querySelector("[data-card-said]").textContent`); said != "" {
		t.Errorf("beside the button, %q is said", said)
	}
	p.stayed()
	p.await("both are saved", `performance.getEntriesByType("resource").filter(e => e.name.endsWith("/tasks/star") && e.responseStatus === 200).length === 2`)
	page, err := who.get("/gallery?who=me")
	if err != nil || strings.Count(page, `aria-pressed="true"`) != 2 {
		t.Errorf("the stars are not kept, %v", err)
	}
}

func TestDeletingIsUndoneWithoutScript(t *testing.T) {
	t.Parallel()
	who, p := twoFilms(t)
	p.withoutScript()
	p.open("/gallery?who=me")
	p.leave(func() { p.clickText(".cell a", "The first film") })
	p.click("[popovertarget=video-more]")
	p.leave(func() { p.clickText("#video-more button", "Delete") })
	p.awaitPath("/gallery")
	p.awaitText(".toast", "It’s in the bin.")
	p.leave(func() { p.clickText(".toast form button", "Undo") })
	p.awaitText(".toast", "It’s back.")
	p.awaitText("#results .cell", "The first film")

	ids := regexp.MustCompile(`id="task-(\d+)"`).FindAllStringSubmatch(get[string](p, `document.querySelector("#results").innerHTML`), 2)
	answer, err := who.client.Get(who.base + "/tasks/download?id=" + ids[0][1] + "&id=" + ids[1][1])
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(archive.File) != 4 {
		t.Fatalf("the archive of two videos: %+v, %v", archive, err)
	}
}

func TestAPosterIsDrawnAndSentOnce(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	who := coverless(t)
	film := who.make(t, "A film without a cover")
	who.finish(t, film)
	p := newTabOf(t, who)
	p.open("/gallery")
	const picture = `document.querySelector(".cell img")`
	p.await("the card has a picture", picture+` && `+picture+`.complete && `+picture+`.naturalWidth > 0`)
	if got := get[int64](p, `Math.max(`+picture+`.naturalWidth, `+picture+`.naturalHeight)`); got > 640 {
		t.Errorf("the picture is %d pixels long", got)
	}
	if get[bool](p, `!!document.querySelector("[data-poster], .plain")`) {
		t.Error("the card still waits for a picture")
	}
	if got := get[string](p, picture+`.alt`); got != "A film without a cover" {
		t.Errorf("the picture is called %q, and so is the link around it", got)
	}
	page, err := who.get("/gallery")
	if err != nil || strings.Contains(page, "data-poster") || !strings.Contains(page, "<img src=") {
		t.Errorf("the picture is not kept, %v", err)
	}

	film = who.make(t, "Another one, seen on its own page first")
	who.finish(t, film)
	p.open(film)
	p.await("the first frame is there", `document.querySelector(".viewer video").readyState > 1`)
	p.press("l") // jump ahead, because the first frames may be dark
	const sent = `performance.getEntriesByType("resource").filter(e => e.name.endsWith("/poster") && e.responseStatus === 204).length`
	p.await("its page has sent a frame", sent+` === 1`)
	p.await("it still plays", `(v => !v.paused && v.currentTime > 0.3)(document.querySelector(".viewer video"))`)
	if got := get[int64](p, sent); got != 1 {
		t.Errorf("the picture was sent %d times", got)
	}
	page, err = who.get(film)
	if err != nil || strings.Contains(page, "data-poster") || !strings.Contains(page, ` poster="/media/`) {
		t.Errorf("the page has no picture, %v", err)
	}
}

func TestAVideoWithoutACoverGetsItsPosterWhereItPlays(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	who := coverless(t)
	film := who.make(t, "A stage without a picture")
	who.finish(t, film)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.await("the filmstrip has words in place of a picture", `document.querySelector(".take[data-poster] .clip") && !document.querySelector(".take img")`)
	p.click("[data-film-do=play]")
	p.await("the filmstrip shows what was drawn", `document.querySelector(".take img")?.naturalWidth > 0`)
	const sent = `performance.getEntriesByType("resource").filter(e => e.name.endsWith("/poster")).length`
	if got := get[int](p, sent); got != 1 {
		t.Errorf("the picture was sent %d times", got)
	}
	p.open("/create/text-to-video")
	p.await("the stage and the filmstrip show it to everybody", `document.querySelector("#latest video").poster && document.querySelector(".take img") && !document.querySelector("[data-poster]")`)
}

// coverless starts a server whose service provides no covers, and returns its first
// user.
func coverless(t *testing.T) *person {
	t.Helper()
	address, key := startSandbox(t, "-results", "veo")
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, settings: []string{"-api-url", address}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	who, err := s.admin()
	if err == nil {
		_, err = who.post("/settings/key", url.Values{"key": {key}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return who
}
