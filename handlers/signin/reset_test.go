package signin_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/handlerstest"
)

func TestWeakPasswordsAreRefusedEverywhere(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Stranger(t)
	for weak, sentence := range map[string]string{"aaaaaaaaaa": "repeats or counts", "password123": "Too easy to guess. Try",
		"kim@example.com": "your name or address", strings.Repeat("ж", 201): "200 characters at most"} {
		p.Post("/setup?token="+handlerstest.SetupToken, url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {weak}}).
			Is(422).Shows(sentence)
	}
	p = h.Founder(t)
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"Kim@Example.com!"}}).Is(422).
		Shows("your name or address")
	p.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(p.Get("/members").Text)
	ada := h.Stranger(t)
	ada.Post(link, url.Values{"name": {"Kim"}, "email": {"k\u0456m@example.com"}, "password": {handlerstest.Password}}).Is(422).
		Shows("has a hidden character")
	ada.Post(link, url.Values{"name": {"Ada"}, "email": {"a\u200bda@example.com"}, "password": {"ten spaces"}}).Is(422).
		Shows("a hidden character").Hides("repeats or counts")
	cyrillic := strings.Repeat("ж", 118) + "ы"
	ada.Post(link, url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {strings.Repeat(" ", 12)}}).Is(422).
		Shows("repeats or counts")
	ada.Post(link, url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {cyrillic}}).Is(303)
	h.Stranger(t).Post("/login", handlerstest.Credentials("ada@example.com", cyrillic)).Is(303)
}

func TestResetLinkSetsANewPasswordOnce(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	link := func() string {
		reset, token := signin.NewReset(1, db.Now())
		must(t, h.Store.Sessions.AddReset(t.Context(), reset))
		return "/reset/" + token
	}
	replaced, good := link(), link()
	p := h.Stranger(t)
	p.Get(replaced).Is(404).Shows("This link has ended")
	p.Get(good).Is(200).Shows("kim@example.com").Has("[autocomplete=new-password]")
	p.Post(good, url.Values{"password": {"short"}}).Is(422).Shows("at least 10")
	p.Post(good, url.Values{"password": {"kim@example.com"}}).Is(422).Shows("your name or address")
	p.Post(good, url.Values{"password": {"a brand new one"}}).Is(303).LeadsTo("/login")
	p.Get("/login").Is(200).Shows("Password set")
	owner.Get("/settings").Is(303)
	p.Post(good, url.Values{"password": {"a second new one"}}).Is(404)
	p.Get(good).Is(404)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(422)
	p.Post("/login", handlerstest.Credentials("kim@example.com", "a brand new one")).Is(303)
	if log := h.Log.String(); !strings.Contains(log, "a password was set with a link") || strings.Contains(log, good) {
		t.Error("the reset is not logged, or with its token")
	}

	late, token := signin.NewReset(1, db.Now().Add(-signin.ResetLife))
	must(t, h.Store.Sessions.AddReset(t.Context(), late))
	p.Get("/reset/" + token).Is(404)
	// Changing the password in Settings invalidates an open reset link.
	open := link()
	p.Post("/settings/password", url.Values{"current": {"a brand new one"}, "password": {"another long one"}}).Is(303)
	p.Get(open).Is(404)
}

func TestResetLinkIsUsedOnceByManyAtOneMoment(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	reset, token := signin.NewReset(1, db.Now())
	must(t, h.Store.Sessions.AddReset(t.Context(), reset))
	p := h.Stranger(t)
	got := handlerstest.AtOnce(10, func(i int) *handlerstest.Answer {
		return p.Post("/reset/"+token, url.Values{"password": {fmt.Sprintf("new password number %d", i)}})
	})
	if got[303] != 1 || got[404] != 9 {
		t.Errorf("%v, want one to succeed", got)
	}
}

func TestInvitesAreLimited(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range signin.MaxInvites {
		must(t, h.Store.Invites.AddInvites(t.Context(), []*signin.Invite{invite()}, nil))
	}
	p.Post("/members/invites", nil).Is(422).Shows("Too many open invitations")
	invites, err := h.Store.Invites.All(t.Context())
	must(t, err)
	p.Post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).Is(303)
	if got := handlerstest.AtOnce(5, func(int) *handlerstest.Answer {
		return p.Post("/members/invites", nil)
	}); got[303] != 1 || got[422] != 4 {
		t.Errorf("%v, want one more", got)
	}
}

func invite() *signin.Invite {
	now := db.Now()
	return &signin.Invite{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: 1, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife)}
}
