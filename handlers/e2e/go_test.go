package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const paletteOpen = `!!document.querySelector("dialog#palette")?.open`

func TestControlKFindsAnythingFromAnyPage(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	who.finish(t, who.make(t, "A teapot on a windowsill"))
	p := newTabOf(t, who)
	p.open("/usage")
	p.tabTo("nav a[href='/gallery']")
	p.press("k", chromedp.ModifierCtrl)
	p.await("the palette is open, and one can type", paletteOpen+` && `+focused("#go-text"))
	p.awaitText("#palette h2", "Lately")
	p.press("teapot on")
	p.await("the video is the first entry", `document.querySelector("#palette a")?.textContent.includes("A teapot on a windowsill")`)
	p.press(kb.ArrowDown)
	p.await("the arrow leads to it", focused("#palette section:first-of-type li:first-child a"))
	p.press(kb.ArrowUp)
	p.press(kb.Escape)
	p.await("Escape closes it, and the focus is back", `!`+paletteOpen+` && `+focused("nav a[href='/gallery']"))
	p.press("k", chromedp.ModifierCtrl)
	p.await("it opens again", paletteOpen)
	p.leave(func() { p.press("keyboard" + kb.Enter) }) // Enter waits for the list that fits
	p.awaitPath("/keys")
}

func TestPaletteHoldsAnAnswerThatIsLateForNothing(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/gallery")
	p.click(".find-any")
	p.await("the palette is open", paletteOpen)
	p.press("colle")
	p.press("\b\b\b\b\b")
	p.press("recip")
	p.await("the list fits the last text", `document.querySelector("#palette a b")?.textContent.toLowerCase() === "recip"`)
	p.press(kb.ArrowDown)
	p.press("e")
	p.await("typing goes on in the field", `document.querySelector("#go-text").value === "recipe" && `+focused("#go-text"))
}

func TestPaletteIsAPageWithoutScript(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.withoutScript()
	p.open("/usage")
	p.leave(func() { p.click(".find-any") })
	p.awaitPath("/go")
	p.fill("#go-text", "collections")
	p.leave(func() { p.clickText(".gopage button", "Find") })
	p.awaitText(".pallist a", "Collections")
	p.leave(func() { p.clickText(".pallist a", "Collections") })
	p.awaitPath("/collections")
}
