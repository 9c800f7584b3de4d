package e2e

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// seen makes the page ask for what is new, as it does when somebody comes back to its tab.
const seen = `document.dispatchEvent(new Event("visibilitychange")) || true`

// twoTabs opens a new link of a video twice in one browser. The link may decide.
func twoTabs(t *testing.T) (who *person, id string, one, two *tab) {
	t.Helper()
	who = sharedServer(t).member(t)
	video := who.make(t, "A boat with a yellow sail")
	who.finish(t, video)
	link := who.share(t, video, "title=Harbour spot&may=decide")
	one = newTab(t, who.base)
	two = one.another()
	for _, p := range []*tab{one, two} {
		p.open(link)
		p.await("the player is there", `document.querySelector("[data-player]")?.bar`)
	}
	return who, who.newestLink(t, video), one, two
}

// A guest gives a name and an answer in one tab. The other one, which is open all the while,
// shows both, and what is typed there stays.
func TestTwoTabsOfAGuestAreOneGuest(t *testing.T) {
	t.Parallel()
	_, _, one, two := twoTabs(t)
	two.fill("#note-body", "Redder")
	one.fill("#note-body", "A touch larger")
	one.fill("#note-name", "Mara")
	one.clickText(".composer button", "Send")
	one.awaitText(".remark", "A touch larger")
	two.await("the other tab knows", seen)
	two.awaitText(".remark", "A touch larger")
	two.await("it asks for no name", `!document.querySelector("#note-name") && document.querySelector("#note-body").value === "Redder"`)
	two.awaitText("#me", "Mara")
	two.clickText(".composer button", "Send")
	two.awaitText("#talk-list", "Redder")

	one.clickText("#verdict button", "Approve")
	one.awaitText("#verdict", "You approved this")
	two.await("the other tab knows", seen)
	two.awaitText("#verdict", "You approved this")
	two.clickText("#verdict .text", "Change")
	two.clickText("#verdict button", "Changes wanted")
	two.fill("#note-body", "Smaller after all")
	two.clickText(".composer button", "Send")
	two.awaitText("#verdict", "You asked for changes")
	one.await("so does the first", seen)
	one.awaitText("#verdict", "You asked for changes")
	one.await("there is one answer", `document.querySelector("#talk-list").innerText.split("Changes wanted").length === 2 && !document.querySelector("#talk-list").innerText.includes("Approved")`)
}

// Both tabs answer, neither knowing of the other: the second answer takes the place of the first,
// whose words stay.
func TestBothTabsOfAGuestAnswer(t *testing.T) {
	t.Parallel()
	_, _, one, two := twoTabs(t)
	for _, p := range []*tab{one, two} {
		p.clickText("#verdict button", "Changes wanted")
		p.fill("#note-name", "Mara")
	}
	one.fill("#note-body", "Redder")
	two.fill("#note-body", "Smaller")
	one.clickText(".composer button", "Send")
	one.awaitText("#verdict", "You asked for changes")
	two.await("what is typed stays", seen)
	two.awaitText(".remark", "Redder")
	two.await("so it does", `document.querySelector("#note-body").value === "Smaller" && document.querySelector(".composer.answering")`)
	two.clickText(".composer button", "Send")
	two.awaitText("#verdict", "You asked for changes")
	two.awaitText("#talk-list", "Earlier answer")
	two.awaitText("#talk-list", "Redder")
	two.awaitText("#talk-list", "Smaller")
	two.await("there is one answer", `document.querySelector("#talk-list").innerText.split("Changes wanted").length === 2`)
}

// A note that is deleted in one tab, while it is changed in the other, is gone. Its new words
// become a note if the guest wants that.
func TestANoteIsDeletedInOneTabAndChangedInTheOther(t *testing.T) {
	t.Parallel()
	_, _, one, two := twoTabs(t)
	two.expect("404")
	one.fill("#note-body", "Redder")
	one.fill("#note-name", "Mara")
	one.clickText(".composer button", "Send")
	one.awaitText(".remark", "Redder")
	two.await("the other tab knows", seen)
	two.awaitText(".remark", "Redder")
	two.fill("#note-body", "And a bird")
	two.clickText(".remark .acts a", "Edit")
	two.await("its words are in the form", `document.querySelector("#note-body").value === "Redder"`)
	two.fill("#note-body", "Redder, and nearer")
	one.clickText(".remark .acts button", "Delete")
	one.await("it is gone", `!document.querySelector(".remark")`)
	two.clickText(".composer button", "Save")
	two.awaitText("#note-error", "That note was deleted. Your text is kept: send it as a new one.")
	two.await("so it is", `document.querySelector("#note-body").value === "Redder, and nearer" && !document.querySelector(".remark")`)
	two.clickText(".composer button", "Send")
	two.awaitText(".remark", "Redder, and nearer")

	one.await("the first tab knows", seen)
	one.awaitText(".remark", "Redder, and nearer")
	two.clickText(".remark .acts button", "Delete")
	two.await("it is gone", `!document.querySelector(".remark")`)
	one.fill("#note-body", "A cloud")
	one.expect("404")
	one.clickText(".remark .acts button", "Delete")
	one.await("deleting it again is as good", `!document.querySelector(".remark") && !document.querySelector(".composer .error")`)
	one.await("what is typed stays", `document.querySelector("#note-body").value === "A cloud"`)
	one.clickText(".composer button", "Send")
	one.awaitText(".remark", "A cloud")
}

// The password of a link changes while a guest types in one tab. It is given in the other one;
// nothing that was typed is lost, and no sentence says that the link has ended.
func TestAPasswordIsChangedWhileAGuestTypes(t *testing.T) {
	t.Parallel()
	who, id, one, two := twoTabs(t)
	one.expect("403")
	two.expect("403")
	one.fill("#note-body", "Redder")
	two.fill("#note-body", "A touch larger")
	if _, err := who.post("/shares/"+id, url.Values{"password": {"another-one"}}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*tab{one, two} {
		p.await("the page says that the password has changed", `!document.querySelector("[data-when=locked]").hidden`)
	}
	one.fill("#note-name", "Mara")
	one.clickText(".composer button", "Send")
	one.awaitText(".composer .error", "The password of this link has changed. Your text is kept here.")
	one.clickText("#verdict button", "Approve")
	one.awaitText("#answer .error", "The password of this link has changed. Your answer wasn’t sent.")
	one.await("nothing says that it has ended", `document.querySelector("[data-when=ended]").hidden && !document.querySelector(".composer").innerText.includes("ended")`)
	two.leave(func() { two.clickText("[data-when=locked] a", "Enter the new one") })
	two.fill("[name=password]", "another-one")
	two.leave(func() { two.press(kb.Enter) })
	two.await("what was typed is there again", `document.querySelector("#note-body").value === "A touch larger"`)
	one.clickText(".composer button", "Send")
	one.awaitText(".remark", "Redder")
	two.await("the other tab knows", seen)
	two.awaitText(".remark", "Redder")
	two.clickText(".composer button", "Send")
	two.awaitText("#talk-list", "A touch larger")
}

// A link ends while two tabs are open, in one of which an approval waits for a name.
func TestALinkEndsInBothTabs(t *testing.T) {
	t.Parallel()
	who, id, one, two := twoTabs(t)
	one.expect("404")
	two.expect("404")
	one.clickText("#verdict button", "Approve")
	one.fill("#verdict-name", "Mara")
	two.fill("#note-body", "Redder")
	if _, err := who.post("/shares/"+id+"/revoke", nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*tab{one, two} {
		p.await("the page says that the link has ended", `!document.querySelector("[data-when=ended]").hidden`)
	}
	one.press(kb.Enter)
	one.awaitText("#answer .error", "This link has ended. Your answer wasn’t sent.")
	one.await("the name stays", `document.querySelector("#verdict-name").value === "Mara"`)
	two.await("it looks", seen)
	two.awaitText(".composer .error", "This link has ended. Your text is kept here.")
	two.await("the words stay", `document.querySelector("#note-body").value === "Redder"`)
}
