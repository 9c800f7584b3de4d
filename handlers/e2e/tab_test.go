package e2e

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for the page, and videoPatience how long for a
// video, while all other tests want one, too.
const (
	patience      = time.Minute
	videoPatience = 5 * time.Minute
)

// A tab is a browser window with cookies of its own. Its methods stop the test if they
// fail.
type tab struct {
	t        *testing.T
	ctx      context.Context
	base     string
	complain *complaints
}

// newTab opens a window for the server. At the end of the test, its console must
// contain no unexpected errors.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(needBrowser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return tabIn(ctx, t, base)
}

// another opens a second tab with the same cookies.
func (p *tab) another() *tab {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	p.t.Cleanup(cancel)
	return tabIn(ctx, p.t, p.base)
}

func tabIn(ctx context.Context, t *testing.T, base string) *tab {
	t.Helper()
	p := &tab{t: t, ctx: ctx, base: base, complain: &complaints{}}
	if err := chromedp.Listen(ctx, p.complain.hear); err != nil {
		t.Fatal(err)
	}
	p.size(1280, 900)
	t.Cleanup(func() {
		if t.Failed() {
			address, _ := chromedp.Run(ctx, chromedp.Location())
			text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
			state, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`JSON.stringify({ready: document.readyState, hidden: document.hidden,
				paints: performance.getEntriesByType("paint").length, transition: !!document.activeViewTransition})`))
			t.Logf("the browser is at %s (%s) and shows:\n%s", address, state, text)
		}
		for _, c := range p.complain.rest() {
			t.Errorf("the browser's console: %s", c)
		}
	})
	return p
}

// newTabOf returns a window in which the user is signed in.
func newTabOf(t *testing.T, p *person) *tab {
	t.Helper()
	window := newTab(t, p.base)
	address, _ := url.Parse(p.base)
	for _, c := range p.client.Jar.Cookies(address) {
		params := network.SetCookieParams{Name: c.Name, Value: c.Value, URL: p.base}
		tell(window, network.SetCookie, params)
	}
	return window
}

// within limits the time of everything that a tab does.
func (p *tab) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, patience)
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// tell sends the browser a command of the DevTools protocol.
func tell[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) size(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// A look is a window size and a theme.
type look struct {
	name          string
	width, height int64
	scheme        string
}

// looks are the ones in which axe examines a page, and sizes are the windows of the
// screenshots.
var (
	looks = []look{
		{"wide-light", 1440, 900, "light"}, {"wide-dark", 1440, 900, "dark"},
		{"phone-light", 360, 800, "light"}, {"phone-dark", 360, 800, "dark"},
	}
	sizes = [][2]int64{{360, 800}, {768, 1024}, {1024, 768}, {1440, 900}, {2560, 1440}}
)

// maxHeight is the largest height of a window, in pixels, that the browser handles well.
const maxHeight = 6000

// setLook gives the look to the open page and to later ones. Animations are off, so that
// no colour is measured during a transition.
func (p *tab) setLook(l look) {
	p.t.Helper()
	p.size(l.width, l.height)
	p.media([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

// media sets the system preferences that the page sees, such as the colour scheme.
func (p *tab) media(features []*emulation.MediaFeature) {
	p.t.Helper()
	tell(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
}

// withoutScript turns JavaScript off in the tab.
func (p *tab) withoutScript() {
	p.t.Helper()
	tell(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// open navigates to a path of the server, or to a full URL.
func (p *tab) open(address string) {
	p.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.base + address
	}
	p.do(chromedp.Navigate(address))
}

// path returns the tab's URL without the server's base.
func (p *tab) path() string {
	p.t.Helper()
	return strings.TrimPrefix(get[string](p, `location.href`), p.base)
}

// get returns the value of an expression in the page.
func get[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until the expression is true, even if the tab navigates meanwhile.
func (p *tab) await(what, expression string) {
	p.t.Helper()
	p.awaitFor(patience, what, expression)
}

func (p *tab) awaitFor(limit time.Duration, what, expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	for {
		// There is an error while the tab is leaving a page.
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!!(`+expression+`)`))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("waited %v in vain until %s (%s) %v", limit, what, expression, err)
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// awaitPath waits until the tab's path begins with the given one.
func (p *tab) awaitPath(path string) {
	p.t.Helper()
	p.await("the address is "+path, fmt.Sprintf(`document.readyState === "complete" && (location.pathname + location.search).startsWith(%q)`, path))
}

// awaitText waits until an element that matches the selector shows the text.
func (p *tab) awaitText(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("%s says %q", selector, text), p.elementWith(selector, text))
}

// elementWith returns an expression for the first visible element that contains the
// text, be it as the alternative text of an image.
func (p *tab) elementWith(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => (e.innerText + [...e.querySelectorAll("img[alt]")].map(i => i.alt).join()).includes(%q) && e.getClientRects().length)`, selector, text)
}

// click clicks the element with the mouse.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.clickText(selector, "")
}

// clickText clicks the first element that matches the selector and contains the text.
func (p *tab) clickText(selector, text string) {
	p.t.Helper()
	at := p.place(selector, text)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// place waits until the element does not move and nothing covers it, and returns the
// middle of its first line: a link may wrap over two.
func (p *tab) place(selector, text string) []float64 {
	p.t.Helper()
	find := p.elementWith(selector, text)
	p.await(fmt.Sprintf("%s %q can be clicked", selector, text), fmt.Sprintf(`(() => {
		const e = %s;
		if (!e || document.readyState === "loading" || e.matches(".toast:has(p:empty) *")) return false; // a message's text comes later, and moves its button
		e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getClientRects()[0], at = [r.x, r.y].join();
		const still = e.placeBefore === at;
		e.placeBefore = at;
		const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
		return still && (e.contains(top) || top?.contains(e) && top.matches("label"));
	})()`, find))
	return get[[]float64](p, fmt.Sprintf(`(() => { const r = %s.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()`, find))
}

// fill clicks the field and replaces its text.
func (p *tab) fill(selector, text string) {
	p.t.Helper()
	p.click(selector)
	p.press("a", chromedp.ModifierCtrl)
	p.press(kb.Backspace)
	p.press(text)
	p.await("the text is in "+selector, fmt.Sprintf(`document.querySelector(%q).value === %q`, selector, text))
}

// press types keys into the element with the focus.
func (p *tab) press(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// leave calls act, which leads to another page, and waits for that page.
func (p *tab) leave(act func()) {
	p.t.Helper()
	p.mark()
	act()
	p.await("another page is there", `!window.sameDocument && document.readyState === "complete" && `+revealed)
}

// revealed is true once a page is shown, and the transition from the page before it is over:
// whoever goes on earlier aborts that, of which the browser complains.
const revealed = `(document.hidden || performance.getEntriesByType("paint").length > 0) && !document.activeViewTransition`

// mark marks the document, so that stayed can tell whether it is still the same one.
func (p *tab) mark() {
	p.t.Helper()
	get[bool](p, `window.sameDocument = true`)
}

func (p *tab) stayed() {
	p.t.Helper()
	if !get[bool](p, `!!window.sameDocument`) {
		p.t.Error("the page was loaded anew")
	}
}

// expect allows a console error that belongs to the test, such as the 422 of a form
// with a mistake.
func (p *tab) expect(part string) { p.complain.expect(part) }

// complaints collects the errors in a tab's console, including violations of the
// content security policy.
type complaints struct {
	mu       sync.Mutex
	all      []string
	expected []string
}

func (c *complaints) hear(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "assert" {
			text = "console." + string(e.Type) + ":"
			for _, a := range e.Args {
				text += " " + a.Description + string(a.Value)
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			text = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	}
	if text != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all = append(c.all, text)
	}
}

func (c *complaints) expect(part string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expected = append(c.expected, part)
}

// rest returns the unexpected errors.
func (c *complaints) rest() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rest []string
	for _, text := range c.all {
		if !c.isExpected(text) {
			rest = append(rest, text)
		}
	}
	return rest
}

func (c *complaints) isExpected(text string) bool {
	for _, part := range c.expected {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// ctrl is the modifier of keyboard shortcuts.
const ctrl = chromedp.ModifierCtrl

// doubleClick clicks twice in immediate succession.
func (p *tab) doubleClick(at []float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(at[0], at[1]), chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
}
