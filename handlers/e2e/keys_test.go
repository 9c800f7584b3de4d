package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// focused returns an expression that reports whether the element has the focus.
func focused(selector string) string {
	return `document.activeElement.matches("` + selector + `")`
}

const keysOpen = `!!document.querySelector("dialog#keys")?.open`

func TestQuestionMarkShowsTheKeysAndGivesTheFocusBack(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/usage")
	p.tabTo("nav a[href='/gallery']")
	p.press("?")
	p.await("the keys are listed", keysOpen)
	p.awaitText("#keys dd", "Search the gallery")
	p.press("/")
	p.press(kb.Escape)
	p.await("the list is gone", `!`+keysOpen)
	p.await("the focus is back", focused("nav a[href='/gallery']"))
	if got := p.path(); got != "/usage" {
		t.Errorf("a key that was pressed over the list led to %s", got)
	}
	p.press("?")
	p.click("#keys button")
	p.await("the button closes the list", `!`+keysOpen)
}

func TestSlashSearchesTheGalleryFromAnyPage(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	who.finish(t, who.make(t, "Something to search"))
	p := newTabOf(t, who)
	p.open("/usage")
	p.leave(func() { p.press("/") })
	p.awaitPath("/gallery")
	p.await("the search has the focus", focused("#q"))
	p.press("a/b?")
	p.await("in a field, keys are letters", `document.querySelector("#q").value === "a/b?" && !`+keysOpen)
	get[bool](p, `!document.activeElement.blur()`)
	p.mark()
	p.press("/")
	p.await("the search has the focus again", focused("#q"))
	p.stayed()
}

func TestSingleKeysCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/usage")
	p.click(".top .avatar")
	p.clickText("#account a", "Keyboard")
	p.await("the menu shows the list, too", keysOpen)
	p.click("#keys [data-single-keys]")
	p.press(kb.Escape)
	p.await("the focus is on the menu's button", `!`+keysOpen+` && `+focused(".top .avatar"))
	p.open("/settings")
	p.press("?")
	p.press("/")
	if get[bool](p, keysOpen) || p.path() != "/settings" {
		t.Errorf("a key still does something, at %s", p.path())
	}
	p.open("/keys")
	p.click("[data-single-keys]")
	p.leave(func() { p.press("/") })
	p.awaitPath("/gallery")
}

func TestKeysAreListedWithoutScript(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.withoutScript()
	p.open("/usage")
	p.click(".top .avatar")
	p.leave(func() { p.clickText("#account a", "Keyboard") })
	p.awaitText("main dd", "Search the gallery")
}
