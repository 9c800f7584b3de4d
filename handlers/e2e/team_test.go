package e2e

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

func TestTeamGrowsByALinkAndUnfinishedVideosStayPrivate(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	admin, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	first := newTabOf(t, admin)
	first.open("/members")
	first.clickText("a.btn", "Invite")
	first.await("the dialog is open", `document.querySelector("#invite").open`)
	first.leave(func() { first.clickText("#invite button", "One link for anyone") })
	link := get[string](first, `document.querySelector("#new-link").value`)
	first.await("the link has the focus", focused("#new-link"))

	second := newTab(t, s.base)
	second.open(link)
	second.fill("input[name=name]", "Grace")
	second.fill("input[name=email]", "grace@example.com")
	second.fill("input[name=password]", password)
	second.leave(func() { second.clickText("button", "Join") })
	second.awaitPath("/create/text-to-video")
	second.fill(promptField, "A secret so far #slow")
	second.leave(func() { second.clickText(makeButton, makeWords) })
	second.awaitText("#latest", "A secret so far")
	task := get[string](second, `document.querySelector("#latest .under h2 a").pathname`)

	first.expect("404")
	first.open(task)
	first.await("the video is nowhere", `!document.body.innerText.includes("A secret so far")`)
	first.open("/gallery?status=all&q=secret")
	first.awaitText("#results", "Nothing for “secret”")

	third := newTab(t, s.base)
	third.expect("404")
	third.open(link)
	third.awaitText("main", "This link has ended")
}

// A role and a limit are changed in the row of their person, and changed back with Undo. A
// role that is only passed with the keys is not saved.
func TestValuesAreChangedInTheirRows(t *testing.T) {
	t.Parallel()
	s, _, boss := ownServer(t)
	s.member(t)
	const row = "#member-2 "
	role := func(want string) string {
		return `document.querySelector("` + row + `[name=role]").value === "` + want + `"`
	}
	boss.open("/members")
	boss.mark()
	get[bool](boss, `(() => { const role = document.querySelector("`+row+`[name=role]"); role.value = "viewer"; return role.dispatchEvent(new Event("change", { bubbles: true })); })()`)
	boss.awaitText("[data-toast]", "is a viewer now.")
	boss.awaitText(row, "Can’t spend")
	boss.clickText("[data-toast] button", "Undo")
	boss.awaitText("[data-toast]", "is a member now.")
	boss.await("the role is as before", role("member"))

	boss.click(row + ".editline")
	boss.await("the limit has the focus", focused("#limit-credits"))
	boss.fill("#limit-credits", "40")
	boss.press(kb.Enter)
	boss.awaitText(row, "0 of 40")
	boss.await("the value in the row has the focus", focused(row+".editline"))
	boss.clickText("[data-toast] button", "Undo")
	boss.awaitText(row, "no limit")
	boss.stayed()

	get[bool](boss, `document.querySelector("`+row+`[name=role]").focus(), true`)
	boss.press(kb.ArrowDown)
	boss.await("another role is passed", role("viewer"))
	boss.open("/members/2")
	boss.await("and not saved", `document.querySelector("[name=role][value=member]").checked`)
}

// Of pasted addresses each becomes a chip. One that is no address is marked, and nothing is
// sent before it is put right; the button counts the others.
func TestOneFormInvitesOneOrMany(t *testing.T) {
	t.Parallel()
	_, _, boss := ownServer(t)
	boss.open("/members")
	boss.clickText("a.btn", "Invite")
	boss.await("the field has the focus", focused("#addresses-more"))
	boss.pasteText("tom@example.com, Ines Roe <ines@example.com>\nben@")
	boss.awaitText("#addresses-said", "“ben@” isn’t an address yet.")
	boss.awaitText("#invite .primary", "2")
	boss.click("#invite .primary")
	boss.await("the wrong one stays", `document.querySelector("#invite").open && document.querySelectorAll(".chips [data-bad]").length === 1`)
	boss.click(".chips [data-bad]")
	boss.leave(func() { boss.click("#invite .primary") })
	boss.awaitText("#new-title", "2 invitation links")
	boss.awaitText("main", "ines@example.com")
}

// Whoever closes an announcement does not see it again.
func TestAnAnnouncementIsClosed(t *testing.T) {
	t.Parallel()
	s, admin, boss := ownServer(t)
	if _, err := admin.post("/team/announcement", url.Values{"text": {"Lunch at one"}, "until": {time.Now().AddDate(0, 0, 2).Format("2006-01-02T15:04")}, "close": {"on"}}); err != nil {
		t.Fatal(err)
	}
	boss.open("/gallery")
	boss.awaitText("aside", "Lunch at one")
	boss.mark()
	boss.click("aside .x")
	boss.await("it is gone", `!document.querySelector("aside")`)
	boss.stayed()
	boss.open("/usage")
	boss.await("it stays away", `!document.querySelector("aside")`)
	p := newTabOf(t, s.member(t))
	p.open("/gallery")
	p.awaitText("aside", "Lunch at one")
}

func TestSigningOutEndsTheSession(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/gallery")
	p.click(".top .avatar")
	p.leave(func() { p.clickText("#account button", "Sign out") })
	p.awaitPath("/login")
	p.open("/gallery")
	p.awaitPath("/login")
	if got := p.path(); !strings.Contains(got, "next=%2Fgallery") {
		t.Errorf("the sign-in at %s does not lead back", got)
	}
}
