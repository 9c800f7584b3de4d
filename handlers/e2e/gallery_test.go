package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// cards is the number of tiles in the gallery.
const cards = `document.querySelectorAll("#results .cell").length`

// fullGallery returns a user with two videos and enough refused ones to fill the first
// page of the gallery. A refusal takes no time.
func fullGallery(t *testing.T) *person {
	t.Helper()
	who := sharedServer(t).member(t)
	for i := range 24 {
		who.make(t, fmt.Sprintf("Unwanted %d #refuse", i))
	}
	who.finish(t, who.make(t, "A zebra crosses the road"))
	who.finish(t, who.make(t, "The harbour at night"))
	return who
}

// finish waits until the video's page has a player.
func (p *person) finish(t *testing.T, path string) {
	t.Helper()
	deadline := time.Now().Add(videoPatience)
	for time.Now().Before(deadline) {
		page, err := p.get(path)
		if err != nil {
			t.Fatal(err)
		}
		if hasVideo.MatchString(page) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s was not made in %v", path, videoPatience)
}

func TestGalleryIsSearchedFilteredAndPaged(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, fullGallery(t))
	p.open("/gallery")
	p.mark()
	p.click("#filters-button")
	p.clickText(".facet > summary", "Person")
	p.awaitText(".facet[open] label .num", "2")
	p.clickText(".facet[open] label", "Mine")
	p.await("only my videos show", cards+` === 2`)
	p.press(kb.Escape)
	p.await("the list has closed", `!document.querySelector("#facets").matches(":popover-open")`)
	p.fill("input[name=q]", "zebra")
	p.await("one video is found", cards+` === 1`)
	p.awaitText("#results .cell", "A zebra crosses the road")
	p.await("the address says so", `location.search.includes("q=zebra")`)
	p.fill("input[name=q]", "elephant")
	p.awaitText("#results", "Nothing for “elephant”")
	p.fill("input[name=q]", "")
	p.await("both show again", cards+` === 2`)
	p.choose("State", "Everything")
	p.await("all of them show", `(scrollTo(0, document.documentElement.scrollHeight), `+cards+` === 26)`)
	p.awaitText(".chips", "State: Everything")
	p.clickText(".chips a", "Person: Mine")
	p.await("the person is let go", `!location.search.includes("who=") && location.search.includes("status=all")`)
	p.clickText(".chips a", "Clear all")
	p.await("nothing is chosen", `!location.search && !document.querySelector(".chips")`)
	p.stayed()
}

// The numbers of a menu that come after a choice, and after its results, don't undo it.
func TestLateCountsKeepAChoice(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	who.make(t, "Unwanted #refuse")
	p := newTabOf(t, who)
	p.open("/gallery?who=me")
	get[bool](p, `(() => {
		const ask = fetch;
		window.fetch = async (...of) => {
			const answer = await ask(...of);
			if (String(of[0]).includes("/gallery/counts") && !window.late) await new Promise(go => (window.late = go));
			return answer;
		};
		return true;
	})()`)
	p.choose("State", "Everything")
	p.await("it shows", cards+` === 1 && location.search.includes("status=all")`)
	get[bool](p, `(addEventListener("htmx:finally:swap", e => {
		if (e.target.id === "facet-status") window.came ??= [...document.querySelectorAll("#facets [name=status]:checked")].map(e => e.value).join();
	}), late(), true)`)
	p.await("the numbers have come", `window.came`)
	if came := get[string](p, `came`); came != "all" {
		t.Errorf("%s is chosen", came)
	}
}

// choose opens the filter menu and one of its filters, clicks a choice, and closes the
// menu.
func (p *tab) choose(filter, choice string) {
	p.t.Helper()
	p.click("#filters-button")
	p.clickText(".facet > summary", filter)
	p.clickText(".facet[open] label", choice)
	p.press(kb.Escape)
}

func TestEverythingWorksWithoutScript(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, fullGallery(t))
	p.withoutScript()
	p.open("/gallery?who=me&status=all")
	p.await("a whole page shows", cards+` === 24`)
	p.leave(func() { p.click("a[rel=next]") })
	p.await("the rest shows", cards+` === 2`)
	p.open("/gallery")
	p.fill("input[name=q]", "zebra")
	p.leave(func() { p.clickText("#filters button", "Show") })
	p.awaitText("#results .cell", "A zebra crosses the road")

	p.open("/create/text-to-video")
	p.fill(promptField, "No script, still a film")
	p.clickText(".pick", "ByteDance V1 Lite")
	p.leave(func() { p.clickText("button", "Show this model") })
	p.await("its camera can be held still", `document.querySelector("input[name=camera_fixed]")`)
	p.clickText(".pick", "Quick")
	p.leave(func() { p.clickText("button", "Show this model") })
	p.await("its length is chosen", `document.querySelector("input[name=duration][value='2']:checked")`)
	p.await("the text is still there", `document.querySelector("textarea").value === "No script, still a film"`)
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("#latest", "No script, still a film")
	for deadline := time.Now().Add(videoPatience); !get[bool](p, `!!document.querySelector("#latest video")`); {
		if time.Now().After(deadline) {
			t.Fatal("the video does not come")
		}
		p.leave(func() { p.open("/create/text-to-video") })
	}
}

func TestGalleryLeadsBackToTheSamePlace(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	for i := range 64 {
		who.make(t, fmt.Sprintf("Take %d #refuse", i))
	}
	p := newTabOf(t, who)
	p.open("/gallery?who=me&status=all")
	p.await("a page is there", cards+` >= 24`)
	for _, n := range []int{48, 64} {
		p.await(fmt.Sprintf("%d have come by themselves", n), fmt.Sprintf(`(scrollTo(0, document.documentElement.scrollHeight), %s >= %d)`, cards, n))
	}
	p.await("the address says how far", `/through=\d+/.test(location.search)`)
	p.awaitText("#results", "64 videos found")
	p.await("that more have come is said once", `document.querySelector("#said").textContent === "16 more videos"`)
	const place = `(a => Math.round(a.getBoundingClientRect().top))([...document.querySelectorAll("#cards .cell")].find(a => a.textContent.includes("Take 13 ")))`
	p.place("#cards .cell a", "Take 13 ")
	before := get[int64](p, place)
	atPlace := fmt.Sprintf(`Math.abs(%s - %d) < 3 && document.activeElement.textContent.includes("Take 13 ")`, place, before)
	p.clickText("#cards .cell a", "Take 13 ")
	p.await("the viewer is open", `document.querySelector("dialog.cinema[open]")`)
	video := p.path()
	get[bool](p, `(history.back(), true)`)
	p.await("the viewer is closed, and all is as it was", `!document.querySelector("dialog.cinema[open]") && `+atPlace)
	p.leave(func() { p.open(video) })
	p.leave(func() { get[bool](p, `(history.back(), true)`) })
	p.await("all are there again", cards+` === 64`)
	p.await("it is at the same place, and the video that was opened has the focus", atPlace)
}

func TestManyVideosAreChosenAndPutInOrder(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	for i := range 6 {
		who.make(t, fmt.Sprintf("Shot %d #refuse", i))
	}
	p := newTabOf(t, who)
	p.open("/gallery?who=me&status=all")
	p.await("they are there", cards+` === 6 && !document.querySelector(".selbar").getClientRects().length`)
	at := func(i int) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#cards .cell")].indexOf(document.activeElement.closest(".cell")) === %d`, i)
	}
	for _, s := range []struct {
		key string
		at  int
	}{{kb.ArrowRight, 0}, {kb.ArrowRight, 1}, {kb.ArrowDown, 4}, {kb.ArrowUp, 1}, {"j", 2}, {"k", 1}, {kb.End, 5}, {kb.Home, 0}, {kb.ArrowLeft, 0}} {
		p.press(s.key)
		p.await(fmt.Sprintf("card %d has the focus", s.at), at(s.at))
	}
	p.press("s")
	p.await("it has a star", `document.querySelector("#cards .cell [data-star][aria-pressed=true]")`)
	p.press("x")
	p.awaitText("[data-chosen-count]", "1 selected")
	get[bool](p, `(document.querySelectorAll("#cards [type=checkbox]")[2].dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, shiftKey: true, view: window})), true)`)
	p.await("a range is chosen", `document.querySelectorAll("#cards [type=checkbox]:checked").length > 1`)
	p.press("b")
	p.await("the bar has the focus", `!!document.activeElement.closest(".selbar")`)
	p.clickText(".selbar button", "Tag")
	p.fill("#tag-add", "night, e2e harbour")
	p.leave(func() { p.press(kb.Enter) })
	p.awaitText(".toast", "e2e harbour")
	p.await("the same ones are selected", `document.querySelectorAll("#cards [type=checkbox]:checked").length > 1`)
	p.open("/gallery?who=me&status=all") // drops the position in the URL
	p.choose("Tag", "e2e harbour")
	p.await("the tag chooses", `location.search.includes("tag=e2e") && `+cards+` < 6`)
	get[bool](p, `(document.querySelector("#cards [type=checkbox]").click(), true)`)
	p.leave(func() { p.clickText(".selbar button", "Delete") })
	p.awaitText(".toast", "in the bin")
	p.leave(func() { p.clickText(".toast form button", "Undo") })
	p.open("/gallery?who=me&status=all")
	p.await("nothing is lost", cards+` === 6`)
}
