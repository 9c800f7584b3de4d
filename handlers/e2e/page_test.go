package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// long is a word without a place to break the line, as in pasted text.
var long = strings.Repeat("Donaudampfschiff", 30)

func TestEveryPageFitsAndCanBeReadByAll(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := sharedServer(t)
	who, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	ready, failed, running := who.make(t, long), who.make(t, "This one goes wrong #fail"), who.make(t, "This one waits #slow")
	who.finish(t, ready)
	p := newTabOf(t, who)
	p.expect("404")
	for _, path := range []string{
		"/create/text-to-video", "/create/image-to-video", "/create/frames-to-video", "/create/reference-to-video",
		"/gallery", "/gallery?q=" + long, "/gallery?status=all", "/usage", "/settings", "/members",
		"/members/1", "/team/keys", "/team/limits", "/team/announcement", "/audit", "/limit",
		ready, failed, running, "/nothing",
	} {
		p.open(path)
		p.checkPage()
	}
	guest := newTab(t, s.base)
	guest.expect("404")
	for _, path := range []string{"/login", "/join/none", "/nothing"} {
		guest.open(path)
		guest.checkPage()
	}
}

// checkPage checks that the open page fits into a narrow and a wide window, and that it
// has what a screen reader needs.
func (p *tab) checkPage() {
	p.t.Helper()
	for _, width := range []int64{360, 1280} {
		p.size(width, 900)
		p.fits(width)
	}
	for _, fault := range get[[]string](p, faults) {
		p.t.Errorf("%s: %s", p.path(), fault)
	}
}

// fits fails the test if the open page scrolls sideways in a window of the width.
func (p *tab) fits(width int64) {
	p.t.Helper()
	if got := get[int64](p, `document.documentElement.scrollWidth`); got > width {
		p.t.Errorf("%s is %d wide in a window of %d: %s", p.path(), got, width, get[string](p, widest))
	}
}

// widest lists elements that stick out on the right.
const widest = `[...document.querySelectorAll("main *, header *")]
	.filter(e => e.getBoundingClientRect().right > innerWidth + 1)
	.map(e => e.tagName + "." + e.className).slice(0, 5).join(", ")`

// faults lists what a page lacks for blind users.
const faults = `(() => {
	const faults = [], all = s => [...document.querySelectorAll(s)], what = e => e.outerHTML.slice(0, 120);
	const name = e => (e.getAttribute("aria-label") || e.textContent || "").trim() || e.getAttribute("aria-labelledby");
	if (!document.documentElement.lang) faults.push("no language");
	if (!document.title.trim()) faults.push("no title");
	if (all("h1").length !== 1) faults.push(all("h1").length + " first headings");
	if (all("main").length !== 1) faults.push(all("main").length + " mains");
	for (const e of all("input:not([type=hidden]), textarea:not([hidden]), select"))
		if (!e.labels.length && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")) faults.push("no label: " + what(e));
	for (const e of all("a[href], button, summary")) if (!name(e)) faults.push("no name: " + what(e));
	for (const e of all("img:not([alt])")) faults.push("no alt: " + what(e));
	for (const e of all("[aria-describedby], [aria-labelledby]"))
		for (const id of (e.getAttribute("aria-describedby") ?? e.getAttribute("aria-labelledby")).split(/\s+/))
			if (!document.getElementById(id)) faults.push("points to no " + id + ": " + what(e));
	for (const e of all("noscript")) {
		const inside = document.createRange();
		inside.selectNodeContents(e);
		if (inside.getClientRects().length) faults.push("shows its source: " + what(e));
	}
	const ids = all("[id]").map(e => e.id);
	for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push("twice the id " + id);
	return faults;
})()`

func TestKeyboardAloneSignsInAndMakesAVideo(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	who := s.member(t)
	p := newTab(t, s.base)
	p.open("/login")
	p.tabTo("input[name=email]")
	p.press(who.email)
	p.tabTo("input[name=password]")
	p.press(who.password)
	p.leave(func() { p.press(kb.Enter) })
	p.awaitPath("/create/text-to-video")
	p.tabTo(promptField)
	p.press("No mouse at all")
	p.tabTo("#open-model")
	p.press(kb.Enter)
	p.await("the model that is chosen has the focus", focused("input[name=model]:checked"))
	p.press(kb.ArrowRight)
	p.await("another model's options are there", `document.querySelector("input[name=duration][value='4']")`)
	p.press(kb.ArrowLeft)
	p.await("the quick model's options are there", `document.querySelector("input[name=duration][value='1']")`)
	p.press(kb.Enter)
	p.await("the choices are closed, and their button has the focus", focused("#open-model")+` && !document.querySelector(":popover-open")`)
	p.tabTo(makeButton)
	p.leave(func() { p.press(kb.Enter) })
	p.awaitVideo()
}

// tabTo presses Tab until the element has the focus. Every element that gets the focus
// on the way must show it.
func (p *tab) tabTo(selector string) {
	p.t.Helper()
	for range 60 {
		if get[bool](p, fmt.Sprintf(`!!document.activeElement?.matches(%q)`, selector)) {
			return
		}
		p.press(kb.Tab)
		if got := get[string](p, unseenFocus); got != "" {
			p.t.Errorf("%s: nobody sees the focus on %s", p.path(), got)
		}
	}
	p.t.Fatalf("Tab does not reach %s", selector)
}

// unseenFocus returns the element with the focus if no outline is drawn around it or
// around the label or card that it fills. On the controls inside a video, the browser
// draws it itself.
const unseenFocus = `(e => {
	if (!e || e === document.body || e.matches("video[controls]:not(:focus-visible)")) return "";
	const seen = [e, e.closest("label")].some(e => {
		const style = e && getComputedStyle(e);
		return style && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none");
	});
	const card = e.matches(".prompt a") && e.closest(".take.link");
	return seen || card && getComputedStyle(card).outlineStyle !== "none" ? "" : e.outerHTML.slice(0, 120);
})(document.activeElement)`
