package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	cinema   = `document.querySelector("dialog.cinema[open]")`
	inCinema = cinema + `?.contains(document.activeElement)`
)

// threeFilms returns the paths of a user's three videos, newest first, and a tab with
// their gallery.
func threeFilms(t *testing.T) (films []string, p *tab) {
	t.Helper()
	who := sharedServer(t).member(t)
	for _, prompt := range []string{"The third boat", "The second boat", "The first boat"} {
		path := who.make(t, prompt)
		who.finish(t, path)
		films = append([]string{path}, films...)
	}
	p = newTabOf(t, who)
	p.open("/gallery?who=me")
	return films, p
}

func tileLink(path string) string { return `[data-view][href^="` + path + `?"]` }

func TestAVideoOpensOverTheGallery(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.mark()
	other := "#task-" + strings.TrimPrefix(films[2], "/tasks/")
	p.click(other + " [data-star]")
	p.await("another one has a star", fmt.Sprintf(`document.querySelector("%s [data-star]").ariaPressed === "true"`, other))
	p.click(tileLink(films[1]))
	p.await("the viewer lies over the gallery", cinema+`?.querySelector("[data-player]")?.bar && `+inCinema)
	p.awaitPath(films[1] + "?who=me")
	p.awaitText("dialog .vbar", "2 of 3")
	p.await("the window says what it shows", `document.title.startsWith("The second boat")`)
	p.press("s")
	p.await("it has a star", `document.querySelector("dialog [data-star]").ariaPressed === "true"`)
	p.press(".")
	p.await("the film has gone on by a frame", `document.querySelector("dialog video").currentTime > 1 / 48`)
	p.tabTo("[role=tab][aria-selected=true]")
	p.press(kb.ArrowRight)
	p.await("the next tab is open, and has the focus", `document.activeElement.textContent === "Organise" && !document.querySelector("#order").hidden && document.querySelector("#about").hidden`)
	p.fill("#video-tag", "boats")
	p.press(kb.Enter)
	p.awaitText("dialog .toast", "Tagged “boats”")
	p.awaitText("dialog .tag", "boats")
	p.await("the focus is still in the viewer", inCinema)
	p.click("dialog [aria-label='Remove the tag boats']")
	p.await("the tag is gone", `!document.querySelector("dialog .tag")`)
	p.await("the focus is near it", `document.activeElement.id === "video-tag"`)

	p.click("dialog [rel=next]")
	p.awaitText("dialog .vbar", "3 of 3")
	p.awaitPath(films[2] + "?who=me")
	p.await("the same tab is open", `!document.querySelector("#order").hidden`)
	p.press(kb.ArrowLeft)
	p.awaitPath(films[1] + "?who=me")
	p.await("it has come", `document.querySelector("dialog .viewer")?.dataset.viewer === "`+films[1]+`"`)
	p.press(kb.Escape)
	p.awaitPath("/gallery?who=me")
	p.await("the focus is on its tile, which has a star now", fmt.Sprintf(`!%s && document.activeElement.matches('%s') && document.activeElement.closest("li").querySelector("[data-star]").ariaPressed === "true"`, cinema, tileLink(films[1])))
	p.press(kb.Enter)
	p.await("it is open again", cinema)
	p.awaitPath(films[1])
	p.do(chromedp.NavigateBack())
	p.await("back closes it", `!`+cinema+` && location.pathname === "/gallery"`)
	p.stayed()
}

// The keys belong to the viewer while it lies over the gallery, and each video that it
// shows plays by itself.
func TestKeysLeadFromVideoToVideoAndEachPlays(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	shows := func(film string) string {
		return cinema + `?.querySelector(".viewer").dataset.viewer === "` + film + `"`
	}
	const plays = `document.querySelector("dialog.cinema video").currentTime > 0.05`
	p.click(tileLink(films[0]))
	p.await("the first is open and plays", shows(films[0])+` && `+plays)
	const muted = `document.querySelector("dialog.cinema video").muted`
	p.await("it is muted, and offers sound", muted+` && document.querySelector("dialog .unmute").checkVisibility()`)
	p.click("dialog .unmute")
	p.await("it is heard", `!`+muted+` && !document.querySelector("dialog .unmute").checkVisibility()`)
	p.press("j")
	p.await("j shows the next, which plays", shows(films[1])+` && `+plays)
	p.await("sound stays on once it was turned on", `!`+muted)
	p.press(kb.ArrowRight)
	p.await("so does the arrow", shows(films[2])+` && `+plays)
	p.press("k")
	p.await("k shows the one before", shows(films[1])+` && `+plays)
	get[bool](p, `(document.querySelector("dialog .vbar [rel=next]").focus(), true)`)
	p.press("k")
	p.await("also while a button has the focus", shows(films[0])+` && `+plays)
	p.press("b")
	p.press("x")
	p.await("keys of the gallery do nothing below the viewer", inCinema+` && !document.querySelector("#cards :checked")`)
}

func TestAViewerStaysStillForThoseWhoWantLessMotion(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	p.click(tileLink(films[0]))
	p.await("the film is there", cinema+`?.querySelector("[data-player]")?.bar && document.querySelector("dialog video").readyState > 0`)
	p.press("j")
	p.await("the next one is there", cinema+`.querySelector(".viewer").dataset.viewer === "`+films[1]+`" && document.querySelector("dialog [data-player]").bar && document.querySelector("dialog video").readyState > 0`)
	if !get[bool](p, `(v => v.paused && v.currentTime === 0)(document.querySelector("dialog video"))`) {
		t.Error("it plays")
	}
	p.press(" ")
	p.await("it plays when it is asked to", `!document.querySelector("dialog video").paused`)
}

// Whoever does not want videos to play by themselves says so in Settings. Then the next one
// plays only if the one before did.
func TestAVideoWaitsForThoseWhoWantIt(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.open("/settings#look")
	p.click("#playing [name=playing]")
	p.leave(func() { p.clickText("#playing button", "Save") })
	p.awaitText(".toast", "Saved.")
	p.open("/gallery?who=me")
	shows := func(film string) string {
		return cinema + `?.querySelector(".viewer").dataset.viewer === "` + film + `" && document.querySelector("dialog [data-player]").bar && document.querySelector("dialog video").readyState > 0`
	}
	const paused = `document.querySelector("dialog video").paused`
	p.click(tileLink(films[0]))
	p.await("the first waits", shows(films[0])+` && `+paused)
	p.press("j")
	p.await("so does the next", shows(films[1])+` && `+paused)
	p.press("l")
	p.press(" ")
	p.await("it plays when it is asked to", `!`+paused)
	p.press("k")
	p.await("then the one before plays, too", shows(films[0])+` && !`+paused)
	p.press(" ")
	p.await("it is paused", paused)
	p.press("j")
	p.await("and the next waits again", shows(films[1])+` && `+paused)
}

// The picture of a tile grows into the viewer and shrinks back, unless the user wants less
// motion.
func TestATileGrowsIntoTheViewer(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	get[bool](p, `(real => { window.moves = []; document.startViewTransition = change => { const t = real(change); t.ready.then(() => moves.push(document.getAnimations().some(a => a.effect?.pseudoElement === "::view-transition-group(film)")), e => moves.push(String(e))); return t; }; return true; })(document.startViewTransition.bind(document))`)
	p.click(tileLink(films[1]))
	p.await("the picture moves", cinema+` && String(moves) === "true"`)
	p.press(kb.Escape)
	p.await("and back", `!`+cinema+` && String(moves) === "true,true"`)
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	p.click(tileLink(films[1]))
	p.await("nothing moves", cinema+` && moves.length === 2`)
}

func TestAReloadedViewerIsAPage(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.click(tileLink(films[0]))
	p.await("it is open", cinema)
	p.awaitPath(films[0])
	p.leave(func() { p.do(chromedp.Reload()) })
	p.await("it is a page", `!document.querySelector("dialog.cinema") && document.querySelector("main .viewer [data-player]").bar`)
	p.leave(func() { p.click("main [rel=next]") })
	p.awaitPath(films[1] + "?who=me")
	p.leave(func() { p.clickText(".vbar a", "Gallery") })
	p.awaitPath("/gallery?who=me&through=") // later, "through" names the last video in sight
	p.await("it goes on at the video", `location.hash === "#task-`+strings.TrimPrefix(films[1], "/tasks/")+`"`)
}

func TestATitleIsSavedByItself(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.open(films[0])
	p.mark()
	p.await("the script is there", `document.querySelector("[role=tab]")`)
	p.fill("#video-title", "The harbour")
	p.press(kb.Enter)
	p.await("the page is called so", `document.querySelector("h1").textContent === "The harbour" && document.title === "The harbour · Dailies"`)
	p.await("the field keeps the focus", `document.activeElement.id === "video-title"`)
	p.stayed()
	p.open("/gallery?q=harbour")
	p.awaitText(".cell", "The harbour")
}

func TestWithoutScriptTheViewerShowsAllOfIt(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.withoutScript()
	p.leave(func() { p.click(tileLink(films[1])) })
	for _, heading := range []string{"About", "Organise", "Receipt"} {
		p.awaitText(".panel h2", heading)
	}
	p.await("the browser plays it", `document.querySelector("main video[controls][preload=metadata]").getAttribute("src").match(/^\/media\/\d+$/)`)
	p.await("nothing shows that needs script", `!document.querySelector("[data-transport], [role=tab]").getClientRects().length`)
	p.fill("#video-title", "Without script")
	p.leave(func() { p.clickText("button", "Save title") })
	p.awaitText(".toast", "Saved.")
	p.awaitPath(films[1] + "?who=me")
	p.leave(func() { p.click("[rel=prev]") })
	p.awaitPath(films[0] + "?who=me")
}

func TestBarsFitEveryWidth(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	get[bool](p, `([...document.querySelectorAll("#cards [type=checkbox]")].slice(0, 2).forEach(box => box.click()), true)`)
	p.awaitText("[data-chosen-count]", "2 selected")
	for _, width := range []int64{320, 360, 480, 641, 768, 961, 1100, 1440} {
		p.size(width, 800)
		p.await(fmt.Sprintf("at %d pixels all of the selection bar is there", width), `(bar => bar.offsetWidth > 200 && bar.scrollWidth <= bar.clientWidth)(document.querySelector("#chosen"))`)
	}
	p.open(films[0])
	for _, width := range []int64{320, 360, 480} {
		p.size(width, 800)
		p.await(fmt.Sprintf("at %d pixels the player's buttons are on one line", width), `new Set([...document.querySelectorAll(".deck button")].filter(b => b.checkVisibility()).map(b => b.offsetTop)).size === 1`)
	}
}

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
