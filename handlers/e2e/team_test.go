package e2e

import (
	"strings"
	"testing"
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
