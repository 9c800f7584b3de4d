package signin_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestAccountFormKeepsWhatWasTyped(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Stranger(t)
	path := "/setup?token=" + handlerstest.SetupToken
	p.Post(path, url.Values{"name": {""}, "email": {"kim@"}, "password": {"short"}}).Is(422).
		Shows("Enter your name", "Enter an address, such as", "at least 10 characters").Has(`[value="kim@"]`).Hides("short\"")
	p.Post(path, url.Values{"name": {strings.Repeat("x", 500)}, "email": {"kim@example.com"}, "password": {handlerstest.Password}}).
		Is(422).Shows("80 characters at most")
	if has, err := h.Store.Accounts.HasUsers(t.Context()); has || err != nil {
		t.Errorf("an account was made, or %v", err)
	}
}

func TestOnlyOneFirstAccountIsMade(t *testing.T) {
	h := handlerstest.New(t)
	var all sync.WaitGroup
	for i := range 5 {
		p := h.Stranger(t)
		all.Go(func() {
			p.Post("/setup?token="+handlerstest.SetupToken,
				url.Values{"name": {"Kim"}, "email": {fmt.Sprintf("k%d@example.com", i)}, "password": {handlerstest.Password}})
		})
	}
	all.Wait()
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	if len(users) != 1 || users[0].Role != db.Admin {
		t.Errorf("accounts: %+v", users)
	}
}

func TestSignInAndOut(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	p := h.Stranger(t)
	p.Get("/gallery?q=boat").Is(303).LeadsTo("/login?next=%2Fgallery%3Fq%3Dboat")
	p.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {"wrong"}}).Is(422).Shows("Wrong email or password").
		Has(`[value="kim@example.com"]`)
	p.Post("/login", url.Values{"email": {"nobody@example.com"}, "password": {"wrong"}}).Is(422).Shows("Wrong email or password")
	p.Post("/login", url.Values{"email": {"KIM@example.com"}, "password": {handlerstest.Password}, "next": {"/gallery?q=boat"}}).
		Is(303).LeadsTo("/gallery?q=boat")
	p.Get("/gallery").Is(200)
	p.Post("/logout", nil).Is(303)
	p.Get("/gallery").Is(303)
	for _, evil := range []string{"https://evil.example.com", "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)",
		"\t//evil.example.com"} {
		q := h.Stranger(t)
		q.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}, "next": {evil}}).Is(303).LeadsTo("/")
	}
}

func TestGuessingIsSlowed(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	p := h.Stranger(t)
	wrong := url.Values{"email": {"kim@example.com"}, "password": {"guess"}}
	for range 8 {
		p.Post("/login", wrong).Is(422)
	}
	a := p.Post("/login", wrong).Is(429).Shows("Try again in")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(429)
}

func TestJoinLinkWorksOnce(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	ada := h.Joiner(t, founder, "ada")
	ada.Get("/").Is(303).LeadsTo("/create/text-to-video")
	ada.Get("/members").Is(404)
	founder.Get("/members").Is(200).Shows("ada@example.com").Hides("/join/")

	founder.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(founder.Get("/members").Is(200).Text)
	p := h.Stranger(t)
	p.Get(link).Is(200)
	p.Post(link, url.Values{"name": {"Ada"}, "email": {"ADA@example.com"}, "password": {handlerstest.Password}}).Is(422).
		Shows("already has an account")
	p.Post(link, url.Values{"name": {"Bo"}, "email": {"bo@example.com"}, "password": {handlerstest.Password}}).Is(303)
	late := h.Stranger(t)
	late.Get(link).Is(404)
	late.Post(link, url.Values{"name": {"Cy"}, "email": {"cy@example.com"}, "password": {handlerstest.Password}}).Is(404)

	founder.Post("/members/invites", nil).Is(303)
	revoked := handlerstest.JoinLink(founder.Get("/members").Text)
	invites, err := h.Store.Invites.All(t.Context())
	must(t, err)
	founder.Post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).Is(303)
	founder.Post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).Is(303) // as if another admin had revoked it already
	founder.Get("/members").Is(200).Shows("used or turned off already")
	h.Stranger(t).Get(revoked).Is(404)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := handlerstest.New(t)
	first := h.Founder(t)
	second := h.Stranger(t)
	second.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	first.Get("/settings").Is(200).Shows("/end")
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 2 {
		t.Fatalf("%d sessions", len(sessions))
	}
	first.Post("/settings/sessions/end-others", nil).Is(303)
	second.Get("/gallery").Is(303)
	first.Get("/gallery").Is(200)

	ada := h.Joiner(t, first, "ada")
	sessions, err = h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	ada.Post(fmt.Sprintf("/settings/sessions/%d/end", sessions[0].ID), nil).Is(404)
	first.Get("/gallery").Is(200)
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	other := h.Stranger(t)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	p.Post("/settings/password", url.Values{"current": {"wrong"}, "password": {"another long one"}}).Is(422).
		Shows("not your current password")
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"short"}}).Is(422).Shows("at least 10")
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
	p.Get("/gallery").Is(200)
	other.Get("/gallery").Is(303)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(422)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {"another long one"}}).Is(303)
	p.Post("/settings", url.Values{"name": {"  Kim   Possible "}}).Is(303)
	p.Get("/settings").Is(200).Has(`[value="Kim Possible"]`)
}
