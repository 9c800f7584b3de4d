package e2e

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// A hand counts what a person does in a browser.
type hand struct {
	*tab
	scripted       bool
	clicks, fields int // buttons and links that were pressed, and fields that were filled in
}

func (h *hand) clicking(selector, text string) { h.clicks++; h.clickText(selector, text) }

// leaving presses what leads to another page.
func (h *hand) leaving(selector, text string) { h.leave(func() { h.clicking(selector, text) }) }

// sending presses what leads to another page without script, and with it stays.
func (h *hand) sending(selector, text string) {
	if h.scripted {
		h.clicking(selector, text)
	} else {
		h.leaving(selector, text)
	}
}

func (h *hand) typing(selector, text string) { h.fields++; h.fill(selector, text) }

// TestFromALinkToAnApprovedSecondTake measures the way of a note: a guest at 390 px opens a
// link and writes, the team makes the next take, and the guest approves that. The sandbox takes
// as long as it usually does, with the usual -poll. It runs only when asked:
//
//	DAILIES_READY=1 go test -count 1 -v -run FromALinkToAnApproved ./handlers/e2e
func TestFromALinkToAnApprovedSecondTake(t *testing.T) {
	if os.Getenv("DAILIES_READY") == "" {
		t.Skip("set DAILIES_READY to measure")
	}
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, plain: true, settings: []string{"-poll", "3s"}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	ada, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	for _, scripted := range []bool{true, false} {
		first := ada.makeOf(t, "text-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {fmt.Sprintf("A paper boat in the fog, %v", scripted)}})
		ada.finish(t, first)
		team, guest := &hand{tab: newTabOf(t, ada), scripted: scripted}, &hand{tab: newTab(t, s.base), scripted: scripted}
		guest.size(390, 844)
		if !scripted {
			team.withoutScript()
			guest.withoutScript()
		}
		link := team.shareTakes(first, "Our boat", scripted)
		team.open("/gallery")

		start := time.Now()
		guest.open(link)
		guest.sending("#verdict button", "Changes wanted")
		guest.typing("#note-body", "Could it be red?")
		guest.typing("#note-name", "Mara")
		guest.sending(".composer button", "Send")
		guest.awaitText(".remark .body", "Could it be red?")
		written := time.Now()

		team.open("/gallery")
		team.leaving(".bell", "")
		team.leaving(".inbox-pic", "")
		team.leaving("#next-take button", "Make take 2")
		team.sending(".ask button", "Add to the prompt")
		team.awaitText(".ask", "In the prompt")
		team.leaving("button.make", "Make the video")
		pressed := time.Now()
		second := strings.TrimPrefix(strings.SplitN(get[string](team.tab, `location.search`), "&", 2)[0], "?from=")
		ada.finish(t, "/tasks/"+second)
		ready := time.Now()

		if scripted {
			guest.awaitFor(45*time.Second, "the open page says so", `!document.querySelector("[data-when=changed]").hidden`)
			guest.leaving("[data-when=changed] a", "Show it")
		} else {
			guest.open(link) // again
		}
		guest.awaitText("#takes [aria-current]", "Take 2")
		guest.sending("#verdict button", "Approve")
		guest.awaitText("#verdict", "You approved this")
		all := time.Since(start)
		t.Logf("with script: %v. From opening the link to an approved second take: %.0f s, of which the service took %.0f s and both people %.1f s. Team: %d clicks, %d fields. Guest: %d clicks, %d fields.",
			scripted, all.Seconds(), ready.Sub(pressed).Seconds(), (all - ready.Sub(pressed)).Seconds(), team.clicks, team.fields, guest.clicks, guest.fields)
		t.Logf("the note took %.1f s, the next take's form %.1f s, the answer %.1f s", written.Sub(start).Seconds(), pressed.Sub(written).Seconds(), time.Since(ready).Seconds())
	}
}
