package e2e

import (
	"net/url"
	"testing"
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
