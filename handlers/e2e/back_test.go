package e2e

import (
	"testing"
)

// Without script, Back after an answer leads to the form that was sent, with what was typed, and
// not to an error of the browser. Sent once more, it is the same answer.
func TestBackAfterAnAnswerWithoutScript(t *testing.T) {
	t.Parallel()
	guest := askedWithoutScript(t)
	guest.fill("#note-body", "Redder")
	guest.fill("#note-name", "Mara")
	guest.leave(func() { guest.clickText("#verdict button", "Changes wanted") })
	send := func() {
		t.Helper()
		guest.leave(func() { guest.clickText(".composer button", "Send") })
		guest.awaitText("#verdict", "You asked for changes")
	}
	back := func() { guest.leave(func() { get[bool](guest, `history.back() || true`) }) }
	send()
	back()
	guest.await("the words are there", `document.querySelector(".answering #note-body")?.value === "Redder"`)
	send()
	guest.await("they count once", `document.querySelectorAll(".remark").length === 1 && !document.body.innerText.includes("Earlier answer")`)
}
