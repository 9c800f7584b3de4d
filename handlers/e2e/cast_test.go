package e2e

import (
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// makeCast adds people and things to the cast, and deletes one.
func makeCast(t *testing.T, v *visit, who *person) {
	t.Helper()
	add := func(handle, name, kind, look string, pictures ...string) {
		form := url.Values{"handle": {handle}, "name": {name}, "kind": {kind}, "look": {look}}
		for _, picture := range pictures {
			form.Add("picture", v.films+"/"+picture)
		}
		if handle == "anna" {
			form.Set("consent_by", "Anna Lindqvist")
			form.Set("consent_on", "2026-10-03")
		}
		if _, err := who.post("/cast/new", form); err != nil {
			t.Fatal(err)
		}
	}
	add("anna", "Anna", "person", "Early thirties, dark bob, ochre raincoat, calm smile.", "flower.jpg", "bud.png", "flower.jpg")
	add("red-cup", "Red cup", "product", "A cup with a chipped rim", "flower.jpg")
	add("erik", "Erik, the skipper with a very long name that goes on", "person", "", "bud.png")
	add("gone", "Pier", "place", "", "bud.png")
	if _, err := who.post("/cast/4/delete", nil); err != nil {
		t.Fatal(err)
	}
	add("tea-tin", "Nordlicht tea tin", "product", "Dark green, with a cream label", "bud.png")
	add("mila", "Mila", "person", "", "flower.jpg")
}

// castIn opens the form of the scene with the prompt, and waits for what is said about it.
func castIn(scene, prompt string) func(v *visit) {
	return func(v *visit) {
		at("/create/" + scene + "?prompt=" + url.QueryEscape(prompt))(v)
		v.await("the cast is there", `document.querySelector("#cast:not([hidden])") !== null`)
	}
}

// castSent shows the whole text that is sent.
func castSent(v *visit) {
	castIn("reference-to-video", "@anna pours tea from the @tea-tin into the @red-cup while @ana and @gone watch, harbour café, morning light")(v)
	v.clickText("#cast summary", "Whole text")
}

// castAt opens the list beside the cursor.
func castAt(v *visit) {
	castIn("reference-to-video", "@anna pours tea into the ")(v)
	v.click(promptField)
	get[bool](v.tab, `(document.querySelector("#prompt").setSelectionRange(99, 99), true)`)
	v.press(" @")
	v.awaitText("#at [aria-selected=true]", "Anna")
}

func castWrong(v *visit) {
	at("/cast/new")(v)
	v.fill("#handle", "anna b")
	v.leave(func() { v.clickText("button", "Save") })
}

func castChanged(v *visit) {
	at("/cast/1/edit")(v)
	get[string](v.tab, `document.querySelector("[name=version]").value = "99"`)
	v.fill("#name", "Anna L.")
	v.leave(func() { v.clickText("button", "Save") })
}

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
