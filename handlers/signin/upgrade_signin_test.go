package signin_test

import (
	"net/url"
	"testing"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestNobodyIsLockedOutByTheUpgrade(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	for _, p := range l.People {
		handlerstest.OldBrowser(t, h, p).Get("/settings").Is(200).Shows(p.Name)
		if !norm.NFC.IsNormalString(p.Password) {
			// As before the upgrade: the old hash is of the bytes as they were typed.
			h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFC.String(p.Password))).Is(422)
		}
		// Signing in with the password as it was typed stores a hash of its normal
		// form, so that afterwards either form works.
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, p.Password)).Is(303).LeadsTo("/")
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFC.String(p.Password))).Is(303).LeadsTo("/")
		h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, norm.NFD.String(p.Password))).Is(303).LeadsTo("/")
	}
	// Several browsers sign in at once, and only one of them renews the hash.
	l = handlerstest.Yesterday(t)
	h = handlerstest.NewAt(t, l.Dir)
	for _, p := range l.People {
		if norm.NFC.IsNormalString(p.Password) {
			continue
		}
		if got := handlerstest.AtOnce(6, func(int) *handlerstest.Answer {
			return h.Stranger(t).Post("/login", handlerstest.Credentials(p.Email, p.Password))
		}); got[303] != 6 {
			t.Errorf("%s, %s: %v", p.Name, p.Note, got)
		}
	}
}

func TestAccountsWithEquivalentAddressesAreKeptAndListed(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	admin := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	twins := db.DuplicateEmails(users)
	if len(twins) == 0 {
		t.Fatal("there are no twins in the folder")
	}
	page := admin.Get("/members").Is(200).Shows("These addresses look the same")
	for _, people := range twins {
		for _, u := range people {
			page.Shows(u.Name)
			found, err := h.Store.Accounts.UserByEmail(t.Context(), u.Email)
			must(t, err)
			if found.ID != u.ID {
				t.Errorf("%+q leads to %d, want %d", u.Email, found.ID, u.ID)
			}
		}
		// Nobody else can join with one of their addresses, however it is spelled.
		admin.Post("/members/invites", nil).Is(303)
		link := handlerstest.JoinLink(admin.Get("/members").Text)
		for _, spelling := range []string{people[0].Email, people[1].Email, db.EmailKey(people[0].Email)} {
			form := url.Values{"name": {"Eve"}, "email": {spelling}, "password": {handlerstest.Password}}
			h.Stranger(t).Post(link, form).Is(422)
		}
	}
	after, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	if len(after) != len(users) {
		t.Errorf("%d accounts became %d", len(users), len(after))
	}
}

func TestNobodyJoinsWithAnEquivalentAddress(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(p.Get("/members").Is(200).Hides("These addresses look the same").Text)
	for _, spelling := range []string{"KIM@example.com", "ｋｉｍ@example.com", "kim@example．com", "k\u200bim@example.com",
		"ki\u00adm@example.com", "kim@exam\u2060ple.com"} {
		h.Stranger(t).Post(link, url.Values{"name": {"Eve"}, "email": {spelling}, "password": {handlerstest.Password}}).Is(422)
	}
	h.Stranger(t).Post("/login", handlerstest.Credentials("ｋｉｍ@example.com", handlerstest.Password)).Is(303)
}
