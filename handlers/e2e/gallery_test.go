package e2e

import (
	"fmt"
	"testing"
	"time"
)

// cards counts what the gallery shows.
const cards = `document.querySelectorAll("#results article").length`

// fullGallery is somebody with two videos, and with so many that were refused
// that the gallery has a second page. A refusal costs no time.
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

// finish waits until the video is there.
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
	p.choose("Person", "Mine")
	p.await("only my videos show", cards+` === 2`)
	p.await("the list has closed", `!document.querySelector(".facet[open]")`)
	p.fill("input[name=q]", "zebra")
	p.await("one video is found", cards+` === 1`)
	p.awaitText("#results article", "A zebra crosses the road")
	p.await("the address says so", `location.search.includes("q=zebra")`)
	p.fill("input[name=q]", "elephant")
	p.awaitText("#results", "No video fits")
	p.fill("input[name=q]", "")
	p.await("both show again", cards+` === 2`)
	p.choose("State", "Everything")
	p.await("all of them show", cards+` === 26`)
	p.awaitText(".picks", "State: Everything")
	p.clickText(".picks a", "Person: Mine")
	p.await("the person is let go", `!location.search.includes("who=") && location.search.includes("status=all")`)
	p.clickText(".picks a", "Clear all")
	p.await("nothing is chosen", `!location.search && !document.querySelector(".picks")`)
	p.stayed()
}

// choose unfolds a filter and clicks a choice.
func (p *tab) choose(filter, choice string) {
	p.t.Helper()
	p.clickText(".facet > summary", filter)
	p.clickText(".facet[open] label", choice)
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
	p.awaitText("#results article", "A zebra crosses the road")

	p.open("/create/text-to-video")
	p.fill(promptField, "No script, still a film")
	p.clickText(".models label", "ByteDance V1 Lite")
	p.leave(func() { p.clickText("button", "Show this model") })
	p.await("its camera can be held still", `document.querySelector("input[name=camera_fixed]")`)
	p.clickText(".models label", "Quick")
	p.leave(func() { p.clickText("button", "Show this model") })
	p.await("its length is chosen", `document.querySelector("input[name=duration][value='2']:checked")`)
	p.await("the text is still there", `document.querySelector("textarea").value === "No script, still a film"`)
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("#latest article", "No script, still a film")
	for deadline := time.Now().Add(videoPatience); !get[bool](p, `!!document.querySelector("#latest video")`); {
		if time.Now().After(deadline) {
			t.Fatal("the video does not come")
		}
		p.leave(func() { p.open("/create/text-to-video") })
	}
}
