package e2e

import (
	"fmt"
	"testing"
)

// hold makes the answers to what a page sends wait until window.release is called.
const hold = `(() => {
	const before = window.fetch, held = new Promise(done => { window.release = done; });
	window.fetch = async (...of) => { const answer = await before(...of); if (of[1]?.method === "POST") await held; return answer; };
	return true;
})()`

// The second press of a double-click answers nothing, wherever on the page the first leads.
func TestADoubleClickGivesNoAnswer(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A boat with a blue sail")
	who.finish(t, path)
	for _, size := range [][2]int64{{390, 664}, {390, 844}, {1440, 900}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			guest := newTab(t, who.base)
			guest.size(size[0], size[1])
			guest.open(who.share(t, path, "title=Harbour&may=decide"))
			guest.await("the player is there", `document.querySelector("[data-player]")?.bar`)
			undecided := func(what string) {
				t.Helper()
				guest.await(what+": nothing is decided", `!document.querySelector(".verdict.given, #verdict-name-error, #note-error")`)
			}
			twice := func(selector, text string) {
				t.Helper()
				guest.doubleClick(guest.place(selector, text))
			}
			twice("#verdict button", "Changes wanted")
			guest.await("the field is open", `document.querySelector(".composer.answering")`)
			undecided("Changes wanted")
			twice(".answer-head .text", "Cancel")
			guest.await("it is closed", `!document.querySelector(".composer.answering") && document.querySelector("#verdict")`)
			undecided("Cancel")
			twice("#verdict button", "Approve")
			guest.await("the name is asked for", `document.querySelector("#verdict-name")`)
			undecided("Approve")
			twice("#verdict .text", "Cancel")
			guest.await("the question is back", `document.querySelector("#verdict") && !document.querySelector("#verdict-name")`)
			undecided("Cancel of the name")

			guest.clickText("#verdict button", "Changes wanted")
			guest.fill("#note-body", "Redder")
			guest.fill("#note-name", "Mara")
			twice(".composer button", "Send")
			guest.awaitText("#verdict", "You asked for changes")
			guest.await("it stands there once", `[...document.querySelectorAll(".remark .body")].filter(e => e.textContent.includes("Redder")).length === 1`)
			twice("#verdict .text", "Change")
			guest.await("the question is back", `document.querySelector("#verdict .two") || document.querySelector(".composer.answering")`)
			undecided("Change")
		})
	}
}

// What is typed while an answer is on its way stays.
func TestWhatAGuestTypesMeanwhileStays(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A boat with a green sail")
	who.finish(t, path)
	guest := newTab(t, who.base)
	guest.size(1440, 900)
	guest.open(who.share(t, path, "title=Harbour&may=decide"))
	guest.await("the player is there", `document.querySelector("[data-player]")?.bar`)
	guest.clickText("#verdict button", "Changes wanted")
	guest.fill("#note-body", "Redder")
	guest.fill("#note-name", "Mara")
	get[bool](guest, hold)
	guest.clickText(".composer button", "Send")
	guest.fill("#note-body", "And slower")
	get[bool](guest, `(window.release(), true)`)
	guest.awaitText("#verdict", "You asked for changes")
	guest.await("the second thought is still there", `document.querySelector("#note-body").value === "And slower"`)
	guest.clickText(".composer button", "Send")
	guest.awaitText(".remark .body", "And slower")
}
