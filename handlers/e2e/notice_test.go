package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// hidden returns a script that makes the page believe that its tab is in the background
// or, with false, in the foreground.
func hidden(is bool) string {
	return fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true });`, is)
}

// hideNext makes the pages that open from now on believe that their tab is in the
// background.
func (p *tab) hideNext() {
	p.t.Helper()
	tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hidden(true)})
}

// show makes the page believe that its tab has come to the foreground.
func (p *tab) show() {
	p.t.Helper()
	get[bool](p, hidden(false)+` document.dispatchEvent(new Event("visibilitychange"))`)
}

func TestTheTabCountsWhatEndedWhileNobodyLooked(t *testing.T) {
	for name, away := range map[string]string{"on the form": "", "on another page": "/gallery"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTabOf(t, sharedServer(t).member(t))
			p.open("/create/text-to-video")
			p.fill(promptField, "A film that ends unseen #fail")
			p.hideNext() // the video may end before the next page is there
			p.leave(func() { p.clickText(makeButton, makeWords) })
			if away != "" {
				p.open(away)
			}
			title := strings.TrimPrefix(get[string](p, `document.title`), "(1) ")
			p.awaitFor(videoPatience, "the title counts", `document.title.startsWith("(1) ")`)
			const icon = `document.querySelector("link[rel=icon]").href`
			if !strings.Contains(get[string](p, icon), "favicon-news.svg") {
				t.Error("the icon does not tell")
			}
			p.show()
			if now := get[string](p, `document.title`); now != title || !strings.Contains(get[string](p, icon), "favicon.svg") {
				t.Errorf("after a look the title is %q, the icon %s", now, get[string](p, icon))
			}
		})
	}
}

func TestNoticesAreAChoiceOfThisBrowser(t *testing.T) {
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/settings#notices")
	if get[bool](p, `document.querySelector("[name=notice-sound]:checked").value !== ""`) {
		t.Error("there is a sound that nobody asked for")
	}
	p.clickText("#notices label", "Bright")
	p.open("/settings")
	p.await("the sound is kept", `document.querySelector("[name=notice-sound][value=bright]").checked`)
}
