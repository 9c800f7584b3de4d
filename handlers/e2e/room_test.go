package e2e

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// newestLink returns the number of the newest link of the video.
func (p *person) newestLink(t *testing.T, path string) string {
	t.Helper()
	page, err := p.get(path + "/share")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(page, `action="/shares/`)
	id, _, _ := strings.Cut(after, `"`)
	return strings.TrimSuffix(id, "/revoke")
}

// asks are the times at which the open page has asked whether its link still works.
const asks = `performance.getEntriesByType("resource").filter(e => e.name.includes("/state")).map(e => e.startTime)`

// A guest types the password, and watches; a colleague sets another one, and then turns the
// link off. The open page, which asks every two seconds, says so.
func TestAGuestWithAPasswordIsToldWhenTheLinkEnds(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A zebra crosses the road")
	who.finish(t, path)
	link := who.share(t, path, "title=For the fair&password=harbour-47")
	id := who.newestLink(t, path)
	guest := newTab(t, who.base)
	guest.expect("422")
	guest.expect("403")
	guest.expect("404")
	guest.open(link)
	guest.await("the field has the focus", `document.activeElement?.name === "password"`)
	guest.fill("[name=password]", "harbour-48")
	guest.leave(func() { guest.press(kb.Enter) })
	guest.awaitText(".error", "not it")
	guest.fill("[name=password]", "harbour-47")
	guest.leave(func() { guest.press(kb.Enter) })
	guest.awaitText("h1", "For the fair")
	guest.plays("video")
	guest.await("it has asked twice within two seconds", asks+`.some((at, i, all) => i > 0 && at - all[i - 1] < 2000)`)

	if _, err := who.post("/shares/"+id, url.Values{"password": {"another-one"}}); err != nil {
		t.Fatal(err)
	}
	before := get[int](guest, asks+`.length`)
	guest.await("the page says that the password has changed", `!document.querySelector("[data-when=locked]").hidden && !document.querySelector("video").src`)
	if n := get[int](guest, asks+`.length`) - before; n > 2 { // the first one may have been sent before
		t.Errorf("it asked %d times until it said so", n)
	}
	guest.leave(func() { guest.clickText("[data-when=locked] a", "Enter the new one") })
	guest.fill("[name=password]", "another-one")
	guest.leave(func() { guest.press(kb.Enter) })
	guest.await("it can be played again", `document.querySelector("video").readyState >= 2`)
	// What is typed on the page stays there.
	guest.await("something is typed", `document.querySelector("article").insertAdjacentHTML("beforeend", "<textarea>A touch larger</textarea>") || true`)
	if _, err := who.post("/shares/"+id+"/revoke", nil); err != nil {
		t.Fatal(err)
	}
	guest.await("the page says that the link has ended", `!document.querySelector("[data-when=ended]").hidden && !document.querySelector("video").src`)
	guest.await("what was typed is still there", `document.querySelector("textarea").value === "A touch larger"`)
}

// A link that is turned off while a guest types takes the video away, not the words.
func TestALinkEndsWhileAGuestIsTyping(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A zebra crosses the road")
	who.finish(t, path)
	link := who.share(t, path, "title=For the fair&may=decide")
	id := who.newestLink(t, path)
	guest := newTab(t, who.base)
	guest.expect("404")
	guest.open(link)
	guest.await("the player is there", `document.querySelector("[data-player]")?.bar`)
	guest.fill("#note-body", "A touch larger")
	guest.fill("#note-name", "Mara")
	if _, err := who.post("/shares/"+id+"/revoke", nil); err != nil {
		t.Fatal(err)
	}
	ended := time.Now()
	guest.await("the page says that the link has ended", `!document.querySelector("[data-when=ended]").hidden && !document.querySelector("video").src`)
	t.Logf("the open page noticed it after %v", time.Since(ended).Round(10*time.Millisecond))
	guest.clickText(".composer button", "Send")
	guest.awaitText("[data-failed]", "Your text is kept here")
	guest.await("so it is", `document.querySelector("#note-body").value === "A touch larger" && document.querySelector("#note-name").value === "Mara"`)
	guest.clickText("#verdict button", "Approve")
	guest.awaitText("#answer .error", "This link has ended. Your answer wasn’t sent.")
	guest.await("the words are still there", `document.querySelector("#note-body").value === "A touch larger"`)
}

func TestAGuestEntersThePasswordWithoutScript(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A zebra crosses the road")
	who.finish(t, path)
	link := who.share(t, path, "title=For the fair&password=harbour-47&download=on")
	guest := newTab(t, who.base)
	guest.withoutScript()
	guest.open(link)
	guest.fill("[name=password]", "harbour-47")
	guest.leave(func() { guest.click("form button") })
	guest.awaitText("h1", "For the fair")
	guest.await("it has the browser's controls", `document.querySelector("video[controls]")`)
	guest.awaitText("[data-reel-download]", "Download")
	for _, width := range []int64{320, 390, 768, 1440, 2560} {
		guest.size(width, 800)
		guest.fits(width)
	}
}

// A setting of a link is changed in the dialog, and stored at once.
func TestSettingsOfALinkAreChangedWhereItIsCopied(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A zebra crosses the road")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open(path)
	link := p.shareHere("For the fair", "7 days")
	p.click("#share-download")
	p.awaitText("#share [role=status]", "Saved")
	p.clickText("#share summary", "Welcome line")
	p.fill("#share [name=welcome]", "Watch it with sound.")
	p.press(kb.Tab)
	p.await("the welcome is stored", `document.querySelector("[data-share-shown=welcome]")?.textContent === "Watch it with sound."`)
	p.clickText("#share summary", "Password")
	p.fill("#share [name=password]", "harbour-47")
	p.press(kb.Tab)
	p.await("a password is set", `document.querySelector("#share [name=no_password]") && !document.querySelector("#share [name=password]").value`)

	guest := newTab(t, who.base)
	guest.open(strings.TrimPrefix(link, who.base))
	guest.fill("[name=password]", "harbour-47")
	guest.leave(func() { guest.press(kb.Enter) })
	guest.awaitText(".room-head", "Watch it with sound.")
	guest.awaitText("[data-reel-download]", "Download")

	p.click("#share-no-password")
	p.await("the password is gone", `document.querySelector("#share") && !document.querySelector("#share [name=no_password]")`)
}
