package e2e

import (
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Somebody who types an @ chooses from a list beside the cursor, and reads what will be sent.
func TestTheCastIsListedBesideTheCursor(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	handle := fmt.Sprintf("kim%d", os.Getpid())
	for i, name := range []string{"Anna Berg", "Annika Cup"} {
		if _, err := who.post("/cast/new", url.Values{"handle": {fmt.Sprintf("%s-%d", handle, i+1)}, "name": {name}, "kind": {"product"}, "look": {"dark bob"}, "picture": {pictures + "/flower.jpg"}}); err != nil {
			t.Fatal(err)
		}
	}
	p.open("/create/reference-to-video")
	p.click(promptField)
	p.press("Tea for @" + handle)
	p.awaitText("#at [aria-selected=true]", "Anna Berg")
	p.await("the field is a combobox", `document.querySelector("[role=combobox][aria-expanded=true][aria-controls=at] #prompt").getAttribute("aria-activedescendant") === "at-0"`)
	p.await("the list is beside the cursor", `(() => { const l = document.querySelector("#at").getBoundingClientRect(), f = document.querySelector("#prompt").getBoundingClientRect(); return l.top > f.top && l.top < f.bottom + 8 && l.left >= f.left && l.right <= innerWidth; })()`)
	if file := os.Getenv("DAILIES_SHOT"); file != "" {
		p.save(file + "-list.png")
	}
	p.press(kb.ArrowDown)
	p.awaitText("#at [aria-selected=true]", "Annika Cup")
	p.press(kb.Escape)
	p.await("Escape closes the list and keeps the text", fmt.Sprintf(`!document.querySelector("#at:popover-open") && document.querySelector("#prompt").value === "Tea for @%s"`, handle))
	p.press(" @" + handle)
	p.awaitText("#at [aria-selected=true]", "Anna Berg")
	p.press(kb.ArrowDown)
	p.awaitText("#at [aria-selected=true]", "Annika Cup")
	p.tap("Enter", "Enter", 13)
	p.await("the handle is in the prompt", fmt.Sprintf(`document.querySelector("#prompt").value.endsWith("@%s-2 ")`, handle))
	p.awaitText("#cast", "Sent: picture 1 is Annika Cup.")
	p.awaitText("#cast", "Nobody in the cast is called @"+handle)
	p.clickText("#cast summary", "Whole text")
	p.awaitText("#cast .whole-text", "Annika Cup [dark bob]")
	p.clickText("#cast button", "Choose the pictures")
	p.await("the pictures can be chosen", `document.querySelector("#cast [name=cast_picture]").checked`)
	if file := os.Getenv("DAILIES_SHOT"); file != "" {
		p.save(file + "-sent.png")
	}
	p.clickText("#cast button", "Share the places")
	p.await("the places are shared again", `!document.querySelector("#cast [name=cast_picture]")`)
	// In another scene, the first picture becomes the start with one click.
	p.open("/create/image-to-video?prompt=" + url.QueryEscape("@"+handle+"-1 walks"))
	p.clickText("#cast button", "Start with Anna Berg")
	p.await("the tile has the picture", fmt.Sprintf(`document.querySelector("#image_input-0").value === "@%s-1" && !document.querySelector("[data-picture] [data-preview]").hidden`, handle))
	p.awaitText("#cast", "Sent: picture 1 is Anna Berg.")
	p.mark()
	if file := os.Getenv("DAILIES_SHOT"); file != "" {
		p.save(file + "-start.png")
	}
}
