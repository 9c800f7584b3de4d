package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// listener records in window.heard what live regions announce after they were added to
// the page. Text that is added together with its region does not count, because not all
// screen readers announce it.
const listener = `window.heard = [];
document.addEventListener("readystatechange", () => new MutationObserver(list => {
	const region = m => m.target.parentElement && (m.target.closest ? m.target : m.target.parentElement).closest("[role=status], [role=alert], [aria-live=polite]");
	for (const r of new Set(list.map(region))) if (r?.textContent.trim() && r.checkVisibility()) heard.push(r.textContent.trim());
}).observe(document, {childList: true, subtree: true, characterData: true}), {once: true});`

// recordAnnouncements installs the listener, on which announces relies, in pages that
// open from now on.
func (p *tab) recordAnnouncements() {
	p.t.Helper()
	tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: listener})
}

// announces calls act, and fails the test unless a screen reader would then announce the
// words exactly once and some element has the focus. With empty words, nothing may be
// announced.
func (p *tab) announces(words string, act func()) {
	p.t.Helper()
	get[bool](p, `(window.heard = [], true)`)
	act()
	if words != "" {
		p.await(fmt.Sprintf("%q is said", words), fmt.Sprintf(`window.heard?.some(said => said.includes(%q))`, words))
	}
	// Wait a moment, in case something else is announced.
	get[bool](p, `(window.later = false, setTimeout(() => window.later = true, 400), true)`)
	p.await("a moment has passed", `window.later`)
	said := get[[]string](p, `heard`)
	if words == "" && len(said) > 0 || words != "" && (len(said) != 1 || !strings.Contains(said[0], words)) {
		p.t.Errorf("heard %q, want %q once", said, words)
	}
	if get[bool](p, `document.activeElement === document.body`) {
		p.t.Errorf("after %q nothing has the focus", words)
	}
}

func TestActionsAreAnnouncedOnceAndKeepTheFocus(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.recordAnnouncements()
	p.open("/gallery?who=me")
	p.click(tileLink(films[1]))
	p.await("the viewer is open", inCinema)
	p.announces("Starred", func() { p.press("s") })
	p.announces("", func() {
		p.click("dialog [data-star]")
		p.await("the star says it itself", focused("dialog [data-star][aria-pressed=false]"))
	})
	for _, title := range []string{"The harbour", "The harbour at noon"} {
		p.fill("#video-title", title)
		p.announces("Saved.", func() { p.press(kb.Enter) })
		p.await("the field has the focus", focused("#video-title"))
	}
	p.clickText("dialog [role=tab]", "Organise")
	p.fill("#video-tag", "boats")
	p.announces("Tagged “boats”", func() { p.press(kb.Enter) })
	p.await("the field has the focus", focused("#video-tag"))
	p.announces("boats", func() { p.click("[aria-label='Remove the tag boats']") })
	p.await("the field has the focus", focused("#video-tag"))
	p.fill("#video-collection", "What is heard")
	p.announces("“What is heard”", func() { p.click("#collections form.collect button") })
	p.await("the field has the focus", focused("#video-collection"))
	p.announces("It stays in the gallery", func() { p.click("[aria-label='Remove from What is heard']") })
	p.await("the field has the focus", focused("#video-collection"))
	p.clickText("dialog .vacts a", "Share")
	p.await("the button has the focus", focused("dialog.share .btn.primary"))
	p.announces("Link copied", func() { p.press(kb.Enter) })
	p.await("the focus stays there", focused("[data-copy=share-address]"))
	p.announces("Link turned off", func() { p.clickText("#share button", "Turn off link") })
	p.await("the focus is beside it", focused("dialog.share .btn.primary"))
	p.press(kb.Escape)
	p.await("its button has the focus", focused("dialog .vacts [data-share-link]"))
	p.press(kb.Escape)
	p.await("its tile has the focus", `!`+cinema+` && document.activeElement.matches('`+tileLink(films[1])+`')`)

	p.press(kb.Enter)
	p.await("the viewer is open again", inCinema)
	p.click("dialog [popovertarget=video-more]")
	p.announces("in the bin", func() { p.leave(func() { p.clickText("#video-more button", "Delete") }) })
	p.await("the tile beside it has the focus", `document.activeElement.matches('`+tileLink(films[2])+`')`)
	p.announces("It’s back", func() { p.leave(func() { p.clickText(".toast button", "Undo") }) })
	p.await("it is there", fmt.Sprintf(`document.querySelector('%s')`, tileLink(films[1])))
}
