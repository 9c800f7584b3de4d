package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

func TestWeakPasswordsAreRefusedEverywhere(t *testing.T) {
	h := newHouse(t)
	p := h.stranger(t)
	for weak, sentence := range map[string]string{"aaaaaaaaaa": "repeats or counts", "password123": "tried first", "kim@example.com": "your name", strings.Repeat("ж", 201): "at most 200"} {
		p.post("/setup?token="+setupToken, url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {weak}}).is(422).shows(sentence)
	}
	p = h.founder(t)
	p.post("/settings/password", url.Values{"current": {password}, "password": {"Kim@Example.com!"}}).is(422).shows("your name")
	p.post("/members/invites", nil).is(303)
	link := joinLink(p.get("/members").body)
	ada := h.stranger(t)
	ada.post(link, url.Values{"name": {"Ada"}, "email": {"a\u200bda@example.com"}, "password": {"ten spaces"}}).is(422).shows("cannot be seen").hides("repeats or counts")
	cyrillic := strings.Repeat("ж", 118) + "ы"
	ada.post(link, url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {strings.Repeat(" ", 12)}}).is(422).shows("repeats or counts")
	ada.post(link, url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {cyrillic}}).is(303)
	h.stranger(t).post("/login", credentials("ada@example.com", cyrillic)).is(303)
}

func TestResetLinkSetsANewPasswordOnce(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	link := func() string {
		reset, token := db.NewReset(1, db.Now())
		must(t, h.store.AddReset(t.Context(), reset))
		return "/reset/" + token
	}
	replaced, good := link(), link()
	p := h.stranger(t)
	p.get(replaced).is(404).shows("does not work any more")
	p.get(good).is(200).shows("kim@example.com", `autocomplete="new-password"`)
	p.post(good, url.Values{"password": {"short"}}).is(422).shows("at least 10")
	p.post(good, url.Values{"password": {"kim@example.com"}}).is(422).shows("your name")
	p.post(good, url.Values{"password": {"a brand new one"}}).is(303).leadsTo("/login")
	p.get("/login").is(200).shows("Your new password is set")
	owner.get("/settings").is(303)
	p.post(good, url.Values{"password": {"a second new one"}}).is(404)
	p.get(good).is(404)
	p.post("/login", credentials("kim@example.com", password)).is(422)
	p.post("/login", credentials("kim@example.com", "a brand new one")).is(303)
	if log := h.log.String(); !strings.Contains(log, "a password was set with a link") || strings.Contains(log, good) {
		t.Error("the reset is not logged, or with its token")
	}

	late, token := db.NewReset(1, db.Now().Add(-db.ResetLife))
	must(t, h.store.AddReset(t.Context(), late))
	p.get("/reset/" + token).is(404)
	// A new password ends a link that is open.
	open := link()
	p.post("/settings/password", url.Values{"current": {"a brand new one"}, "password": {"another long one"}}).is(303)
	p.get(open).is(404)
}

func TestResetLinkIsUsedOnceByManyAtOneMoment(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	reset, token := db.NewReset(1, db.Now())
	must(t, h.store.AddReset(t.Context(), reset))
	p := h.stranger(t)
	got := atOnce(10, func(i int) *answer {
		return p.post("/reset/"+token, url.Values{"password": {fmt.Sprintf("new password number %d", i)}})
	})
	if got[303] != 1 || got[404] != 9 {
		t.Errorf("%v, want one to succeed", got)
	}
}

func TestInvitesAreLimited(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for range db.MaxInvites {
		must(t, h.store.AddInvite(t.Context(), invite()))
	}
	p.post("/members/invites", nil).is(422).shows("too many open links")
	invites, err := h.store.Invites(t.Context())
	must(t, err)
	p.post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).is(303)
	if got := atOnce(5, func(int) *answer { return p.post("/members/invites", nil) }); got[303] != 1 || got[422] != 4 {
		t.Errorf("%v, want one more", got)
	}
}

func invite() *db.Invite {
	now := db.Now()
	return &db.Invite{Token: db.HashToken(db.NewToken()), CreatedBy: 1, CreatedAt: now, ExpiresAt: now.Add(db.InviteLife)}
}
