package handlers_test

import (
	"net/url"
	"testing"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
)

func TestNobodyIsLockedOutByTheUpgrade(t *testing.T) {
	l := yesterday(t)
	h := newHouseAt(t, l.dir)
	for _, p := range l.People {
		h.oldBrowser(t, p).get("/settings").is(200).shows(p.Name)
		if !norm.NFC.IsNormalString(p.Password) {
			h.stranger(t).post("/login", credentials(p.Email, norm.NFC.String(p.Password))).is(422) // as it was: the hash is of what was typed
		}
		// As typed, then in the other form, which the first has made possible.
		h.stranger(t).post("/login", credentials(p.Email, p.Password)).is(303).leadsTo("/")
		h.stranger(t).post("/login", credentials(p.Email, norm.NFC.String(p.Password))).is(303).leadsTo("/")
		h.stranger(t).post("/login", credentials(p.Email, norm.NFD.String(p.Password))).is(303).leadsTo("/")
	}
	// Two browsers at once, of which one renews the hash.
	l = yesterday(t)
	h = newHouseAt(t, l.dir)
	for _, p := range l.People {
		if norm.NFC.IsNormalString(p.Password) {
			continue
		}
		if got := atOnce(6, func(int) *answer { return h.stranger(t).post("/login", credentials(p.Email, p.Password)) }); got[303] != 6 {
			t.Errorf("%s, %s: %v", p.Name, p.Note, got)
		}
	}
}

func TestTwinsKeepTheirAccountsAndAreListed(t *testing.T) {
	l := yesterday(t)
	h := newHouseAt(t, l.dir)
	admin := h.oldBrowser(t, l.person(t, "admin"))
	users, err := h.store.Users(t.Context())
	must(t, err)
	twins := db.Twins(users)
	if len(twins) == 0 {
		t.Fatal("there are no twins in the folder")
	}
	page := admin.get("/members").is(200).shows("One address, several accounts")
	for _, people := range twins {
		for _, u := range people {
			page.shows(u.Name)
			found, err := h.store.UserByEmail(t.Context(), u.Email)
			must(t, err)
			if found.ID != u.ID {
				t.Errorf("%+q leads to %d, want %d", u.Email, found.ID, u.ID)
			}
		}
		// Nobody else gets an address of theirs, in whatever spelling.
		admin.post("/members/invites", nil).is(303)
		link := joinLink(admin.get("/members").body)
		for _, spelling := range []string{people[0].Email, people[1].Email, db.EmailKey(people[0].Email)} {
			form := url.Values{"name": {"Eve"}, "email": {spelling}, "password": {password}}
			h.stranger(t).post(link, form).is(422)
		}
	}
	after, err := h.store.Users(t.Context())
	must(t, err)
	if len(after) != len(users) {
		t.Errorf("%d accounts became %d", len(users), len(after))
	}
}

func TestNoNewTwinsArise(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.post("/members/invites", nil).is(303)
	link := joinLink(p.get("/members").is(200).hides("One address, several accounts").body)
	for _, spelling := range []string{"KIM@example.com", "ｋｉｍ@example.com", "kim@example．com", "k\u200bim@example.com", "ki\u00adm@example.com", "kim@exam\u2060ple.com"} {
		h.stranger(t).post(link, url.Values{"name": {"Eve"}, "email": {spelling}, "password": {password}}).is(422)
	}
	h.stranger(t).post("/login", credentials("ｋｉｍ@example.com", password)).is(303)
}
