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
	add("gone", "Not any more", "place", "", "bud.png")
	if _, err := who.post("/cast/4/delete", nil); err != nil {
		t.Fatal(err)
	}
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
