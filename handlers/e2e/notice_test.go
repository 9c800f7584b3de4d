package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// keepsNotices makes the page believe that notifications are allowed, and keeps what they say.
const keepsNotices = `localStorage.setItem("dailies notices", "on");
window.notices = [];
window.Notification = class {
	static permission = "granted";
	constructor(title, { body }) { window.notices.push(title + ": " + body); }
};`

// A video that is finished but not saved here yet is no news. Once it is saved, or is known to be
// gone, one notification says so, and the title counts it.
func TestANotificationComesWhenTheFileIsKeptOrMissing(t *testing.T) {
	for name, away := range map[string]string{"on the form": "/create/text-to-video", "on another page": "/gallery"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sharedServer(t)
			who := s.member(t)
			kept, missing := who.make(t, "Kept in the end"), who.make(t, "Never kept")
			ids := make([]any, 2)
			for i, path := range []string{kept, missing} {
				who.finish(t, path)
				ids[i] = strings.TrimPrefix(path, "/tasks/")
				s.change(t, fmt.Sprintf(`UPDATE media SET kind = 'held' WHERE kind = 'video' AND task_id = %s;
					UPDATE tasks SET keeping = 'saving', next_at = %d WHERE id = %[1]s`, ids[i], time.Now().Add(time.Hour).UnixMilli()))
			}
			who.make(t, "It runs meanwhile #slow") // so that other pages look, too
			p := newTabOf(t, who)
			p.hideNext()
			tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: keepsNotices})
			tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
				window.looks = 0;
				const before = window.fetch;
				window.fetch = (...of) => before(...of).finally(() => String(of[0]).startsWith("/tasks/latest") && window.looks++);`})
			p.open(away)
			p.awaitFor(videoPatience, "the page has looked", `window.looks > 1 || !!document.querySelector("#latest")`)
			if said := get[int](p, `window.notices.length`); said > 0 || strings.HasPrefix(get[string](p, `document.title`), "(") {
				t.Error("something is told while the videos are being saved")
			}
			s.change(t, fmt.Sprintf(`UPDATE tasks SET keeping = 'lost', next_at = NULL WHERE id = %s`, ids[1]))
			p.awaitFor(videoPatience, "that the file is missing is told", `window.notices.join() === "File missing: Never kept"`)
			s.change(t, fmt.Sprintf(`UPDATE media SET kind = 'video' WHERE kind = 'held' AND task_id = %s; UPDATE tasks SET keeping = 'kept', next_at = NULL WHERE id = %[1]s`, ids[0]))
			p.awaitFor(videoPatience, "that it is ready is told", `window.notices.join() === "File missing: Never kept,Your video is ready: Kept in the end"`)
			p.await("the title counts both", `document.title.startsWith("(2) ")`)
		})
	}
}
