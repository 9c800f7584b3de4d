package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"dailies/db"
)

func TestAccountFormKeepsWhatWasTyped(t *testing.T) {
	h := newHouse(t)
	p := h.stranger(t)
	path := "/setup?token=" + setupToken
	p.post(path, url.Values{"name": {""}, "email": {"kim@"}, "password": {"short"}}).is(422).
		shows("what others should call you", "does not look like an e-mail address", "at least 10 characters", `value="kim@"`).hides("short\"")
	p.post(path, url.Values{"name": {strings.Repeat("x", 500)}, "email": {"kim@example.com"}, "password": {password}}).is(422).shows("at most 80")
	if has, err := h.store.HasUsers(t.Context()); has || err != nil {
		t.Errorf("an account was made, or %v", err)
	}
}

func TestOnlyOneFirstAccountIsMade(t *testing.T) {
	h := newHouse(t)
	var all sync.WaitGroup
	for i := range 5 {
		p := h.stranger(t)
		all.Go(func() {
			p.post("/setup?token="+setupToken, url.Values{"name": {"Kim"}, "email": {fmt.Sprintf("k%d@example.com", i)}, "password": {password}})
		})
	}
	all.Wait()
	users, err := h.store.Users(t.Context())
	must(t, err)
	if len(users) != 1 || users[0].Role != db.Admin {
		t.Errorf("accounts: %+v", users)
	}
}

func TestSignInAndOut(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	p := h.stranger(t)
	p.get("/gallery?q=boat").is(303).leadsTo("/login?next=%2Fgallery%3Fq%3Dboat")
	p.post("/login", url.Values{"email": {"kim@example.com"}, "password": {"wrong"}}).is(422).shows("not right", `value="kim@example.com"`)
	p.post("/login", url.Values{"email": {"nobody@example.com"}, "password": {"wrong"}}).is(422).shows("not right")
	p.post("/login", url.Values{"email": {"KIM@example.com"}, "password": {password}, "next": {"/gallery?q=boat"}}).is(303).leadsTo("/gallery?q=boat")
	p.get("/gallery").is(200)
	p.post("/logout", nil).is(303)
	p.get("/gallery").is(303)
	for _, evil := range []string{"https://evil.example.com", "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)", "\t//evil.example.com"} {
		q := h.stranger(t)
		q.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}, "next": {evil}}).is(303).leadsTo("/")
	}
}

func TestGuessingIsSlowed(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	p := h.stranger(t)
	wrong := url.Values{"email": {"kim@example.com"}, "password": {"guess"}}
	for range 8 {
		p.post("/login", wrong).is(422)
	}
	a := p.post("/login", wrong).is(429).shows("Please wait")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}}).is(429)
}

func TestJoinLinkWorksOnce(t *testing.T) {
	h := newHouse(t)
	founder := h.founder(t)
	ada := h.joiner(t, founder, "ada")
	ada.get("/").is(303).leadsTo("/create/text-to-video")
	ada.get("/members").is(404)
	founder.get("/members").is(200).shows("ada@example.com").hides("/join/")

	founder.post("/members/invites", nil).is(303)
	link := joinLink(founder.get("/members").is(200).body)
	p := h.stranger(t)
	p.get(link).is(200)
	p.post(link, url.Values{"name": {"Ada"}, "email": {"ADA@example.com"}, "password": {password}}).is(422).shows("already uses this")
	p.post(link, url.Values{"name": {"Bo"}, "email": {"bo@example.com"}, "password": {password}}).is(303)
	late := h.stranger(t)
	late.get(link).is(404)
	late.post(link, url.Values{"name": {"Cy"}, "email": {"cy@example.com"}, "password": {password}}).is(404)

	founder.post("/members/invites", nil).is(303)
	revoked := joinLink(founder.get("/members").body)
	invites, err := h.store.Invites(t.Context())
	must(t, err)
	founder.post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).is(303)
	h.stranger(t).get(revoked).is(404)
}

func joinLink(body string) string {
	_, after, _ := strings.Cut(body, "/join/")
	return "/join/" + after[:26]
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := newHouse(t)
	first := h.founder(t)
	second := h.stranger(t)
	second.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}}).is(303)
	first.get("/settings").is(200).shows("/end")
	sessions, err := h.store.Sessions(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 2 {
		t.Fatalf("%d sessions", len(sessions))
	}
	first.post("/settings/sessions/end-others", nil).is(303)
	second.get("/gallery").is(303)
	first.get("/gallery").is(200)

	ada := h.joiner(t, first, "ada")
	sessions, err = h.store.Sessions(t.Context(), 1, db.Now())
	must(t, err)
	ada.post(fmt.Sprintf("/settings/sessions/%d/end", sessions[0].ID), nil).is(404)
	first.get("/gallery").is(200)
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	other := h.stranger(t)
	other.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}}).is(303)
	p.post("/settings/password", url.Values{"current": {"wrong"}, "password": {"another long one"}}).is(422).shows("not your present password")
	p.post("/settings/password", url.Values{"current": {password}, "password": {"short"}}).is(422).shows("at least 10")
	p.post("/settings/password", url.Values{"current": {password}, "password": {"another long one"}}).is(303)
	p.get("/gallery").is(200)
	other.get("/gallery").is(303)
	other.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}}).is(422)
	other.post("/login", url.Values{"email": {"kim@example.com"}, "password": {"another long one"}}).is(303)
	p.post("/settings", url.Values{"name": {"  Kim   Possible "}}).is(303)
	p.get("/settings").is(200).shows(`value="Kim Possible"`)
}
