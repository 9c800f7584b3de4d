package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
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

// tap presses a key whose keydown moves the focus. Unlike press it sends no character,
// which a browser leaves out after such a keydown, but the protocol would type.
func (p *tab) tap(key, code string, number int64) {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		tell(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: code, WindowsVirtualKeyCode: number})
	}
}

// The composer is one key away from every page, and the first Tab on it leads to the
// prompt.
func TestComposerIsOneKeyAway(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	for _, path := range []string{"/gallery", "/settings", "/recipes"} {
		p.open(path)
		p.leave(func() { p.tap("c", "KeyC", 'C') })
		p.awaitPath("/create/text-to-video")
		p.await("the prompt has the focus", focused(promptField))
		p.press("c and g")
		p.await("in a field, keys are letters", `document.querySelector("`+promptField+`").value === "c and g"`)
		p.fill(promptField, "")
	}
	p.open("/create/image-to-video")
	p.mark()
	p.tap("c", "KeyC", 'C')
	p.await("the prompt has the focus", focused(promptField))
	p.stayed()
	p.open("/create/text-to-video")
	p.tap("Tab", "Tab", 9)
	p.tap("Enter", "Enter", 13)
	p.press("Typed at once")
	p.await("the skip link leads into the prompt", `document.querySelector("`+promptField+`").value === "Typed at once"`)
}
