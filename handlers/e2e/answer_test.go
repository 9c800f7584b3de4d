package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// black counts the buttons of a guest's page that look as if they were the one to press.
const black = `[...document.querySelectorAll(".room .btn.primary")].filter(b => b.checkVisibility() && getComputedStyle(b).backgroundColor === getComputedStyle(document.body).color).map(b => b.innerText.trim()).join()`

// The answer of a guest cannot be given by mistake: of the buttons on the page, one is black,
// and Approve is not there while somebody says what should change. With DAILIES_SCREENSHOTS,
// it takes a picture of each state.
func TestOneButtonOfAGuestIsBlack(t *testing.T) {
	t.Parallel()
	axe := findAxe(t)
	who := sharedServer(t).member(t)
	path := who.make(t, "A boat with a yellow sail")
	who.finish(t, path)
	link := who.share(t, path, "title=Harbour spot&may=decide")
	guest := newTab(t, who.base)
	guest.expect("422") // without a name
	state := func(name, want string) {
		t.Helper()
		guest.await(name+" has one black button: "+want, black+` === `+`"`+want+`"`)
		for _, size := range [][2]int64{{390, 664}, {390, 844}, {1440, 900}} {
			guest.size(size[0], size[1])
			guest.fits(size[0])
			guest.await(name+": the button is in sight", `(() => { const r = [...document.querySelectorAll(".room .btn.primary, .room #verdict")].find(b => b.checkVisibility())?.getBoundingClientRect(); return r && r.top >= 0 && r.bottom <= innerHeight; })()`)
			if dir := os.Getenv("DAILIES_SCREENSHOTS"); dir != "" {
				guest.save(filepath.Join(dir, name+"-"+map[int64]string{664: "664", 844: "844", 900: "1440"}[size[1]]+".png"))
			}
		}
		if axe != "" {
			guest.checkWithAxe(axe, "room-"+name)
		}
		guest.size(390, 844)
	}
	guest.size(390, 844)
	guest.open(link)
	guest.await("the player is there", `document.querySelector("[data-player]")?.bar && document.querySelector("[data-player] video").duration > 0.5`)
	state("first", "Approve")
	guest.fill("#note-body", "Redder")
	state("note", "Send")
	guest.press(kb.Escape)
	state("typed", "Send")
	guest.clickText("#verdict button", "Changes wanted")
	state("changes", "Send")
	guest.await("Approve is not on the page", `![...document.querySelectorAll("button")].some(b => b.innerText.includes("Approve") && b.checkVisibility())`)
	guest.clickText(".answer-head .text", "Cancel")
	guest.await("what was typed stays", `document.querySelector("#note-body").value === "Redder" && document.activeElement.textContent.includes("Changes wanted")`)
	guest.clickText("#verdict button", "Approve")
	guest.await("the name is asked for", `document.activeElement.id === "verdict-name"`)
	state("approve", "Send") // the note is still there
	guest.clickText("#verdict .text", "Cancel")
	guest.clickText("#verdict button", "Changes wanted")
	guest.clickText(".composer button", "Send")
	guest.awaitText("#note-name-error", "Add your name")
	guest.await("the focus is where the name is missing", `document.activeElement.id === "note-name"`)
	state("name", "Send")
	guest.fill("#note-name", "Mara")
	guest.press(kb.Enter)
	guest.awaitText("#verdict", "You asked for changes")
	guest.awaitText(".remark .pill", "Changes wanted")
	state("answered", "")
	guest.clickText("#verdict .text", "Change")
	guest.clickText("#verdict button", "Approve")
	guest.awaitText("#verdict", "You approved this")
	guest.awaitText(".remark", "Earlier answer")
	state("approved", "")
}

// askedWithoutScript opens a new link whose guest is asked to decide, in a browser without script.
func askedWithoutScript(t *testing.T) (guest *tab) {
	t.Helper()
	who := sharedServer(t).member(t)
	path := who.make(t, "A boat with a yellow sail")
	who.finish(t, path)
	link := who.share(t, path, "title=Harbour spot&may=decide")
	guest = newTab(t, who.base)
	guest.withoutScript()
	guest.size(390, 844)
	guest.open(link)
	return guest
}

// Without script, what a client has typed as a note goes along when they answer, and back again.
func TestAnAnswerWithoutScriptKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	guest := askedWithoutScript(t)
	press := func(button, text string) {
		t.Helper()
		guest.leave(func() { guest.clickText(button, text) })
	}
	guest.fill("#note-body", "Redder")
	guest.fill("#note-name", "Mara")
	press("#verdict button", "Changes wanted")
	guest.await("it stands in the answer", `document.querySelector(".answering #note-body").value === "Redder" && document.querySelector("#note-name").value === "Mara"`)
	guest.fits(390)
	guest.fill("#note-body", "Redder, and nearer")
	press(".answer-head .text", "Cancel")
	guest.await("it is a note again", `!document.querySelector(".answering") && document.querySelector("#note-body").value === "Redder, and nearer"`)
	press("#verdict button", "Approve")
	guest.await("it goes with the approval", `document.querySelector("#verdict-body").value === "Redder, and nearer" && document.querySelector("#verdict-name").value === "Mara"`)
	guest.fits(390)
	press("#verdict .text", "Cancel")
	press("#verdict button", "Changes wanted")
	guest.leave(func() { // Enter in the field of the name sends the answer
		guest.click("#note-name")
		guest.press(kb.Enter)
	})
	guest.awaitText("#verdict", "You asked for changes")
	guest.awaitText(".remark", "Redder, and nearer")
	press("#verdict .text", "Change")
	press("#verdict button", "Approve")
	guest.awaitText("#verdict", "You approved this")
	guest.awaitText(".remark", "Earlier answer")
}
