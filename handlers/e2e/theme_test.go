package e2e

import "testing"

const shownRooms = `[...document.querySelectorAll(".room")].filter(r => r.checkVisibility()).map(r => r.id).join(" ")`

func TestSettingsShowOneSectionAndTheFirstBesideTheKey(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	p.open("/settings")
	for _, width := range []int64{360, 768, 1440} {
		p.size(width, 800)
		want := "profile key-section"
		if width < 768 { // the list is a page of its own
			want = ""
		}
		if got := get[string](p, shownRooms); got != want {
			t.Errorf("at %d there is %q", width, got)
		}
	}
	p.clickText(".roomlist a", "Webhook")
	p.await("another section is there", shownRooms+` === "webhook-section"`)
	p.await("and marked", `document.querySelector(".roomlist [aria-current]").hash === "#webhook-section"`)
	for anchor, want := range map[string]string{"#key": "key-section", "#sandbox": "key-section", "#notices": "notices", "#webhook": "webhook-section", "#sessions": "profile"} {
		p.open("/settings" + anchor)
		if got := get[string](p, shownRooms); got != want {
			t.Errorf("%s shows %q", anchor, got)
		}
	}
	p.size(360, 800)
	p.open("/settings")
	p.clickText(".roomlist a", "Name and sign-in")
	p.await("on a phone the section takes the place of the list", shownRooms+` === "profile" && !document.querySelector(".roomlist").checkVisibility() && document.activeElement.id === "profile-title"`)
	p.fill("input[name=name]", " ")
	p.leave(func() { p.clickText("form[action='/settings'] button", "Save") })
	p.await("the answer opens its section, at its mistake", shownRooms+` === "profile" && document.activeElement.id === "name"`)
	p.awaitText("#name ~ .error", "Enter your name")
	p.leave(func() { p.clickText(".back", "Settings") })
	p.await("the list is back", `document.querySelector(".roomlist").checkVisibility()`)

	p.withoutScript()
	p.open("/settings")
	p.await("without script everything is there", `[...document.querySelectorAll(".room")].every(r => r.checkVisibility())`)
}

func TestAThemeIsWornAtOnceAndKept(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/settings#look")
	worn := func(theme string) {
		t.Helper()
		p.await("the page wears "+theme, `(document.documentElement.dataset.theme ?? "") === "`+theme+`"`)
	}
	// A page that is opened before the browser has stored the cookie still has the
	// previous theme.
	kept := func(cookie string) {
		t.Helper()
		p.await("the browser keeps "+cookie, `(document.cookie.match(/theme=\w+/) ?? [""])[0] === "`+cookie+`"`)
	}
	p.clickText(".swatch", "Dark")
	worn("dark")
	kept("theme=dark")
	p.open("/usage")
	worn("dark")
	p.open("/settings#look")
	p.clickText(".swatch", "Same as device")
	worn("")
	kept("")
	p.open("/usage")
	worn("")
	p.withoutScript()
	p.open("/settings")
	p.clickText(".swatch", "Light")
	p.leave(func() { p.clickText("[data-themes] button", "Save") })
	worn("light")
	p.awaitText(".toast", "Saved in this browser.")
}
