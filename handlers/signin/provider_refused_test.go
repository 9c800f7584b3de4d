package signin_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/handlers/handlerstest"
)

// roles are rules under which the provider gives the roles.
var roles = signin.Rules{LinkByEmail: true, Admit: signin.AdmitDomain, Domains: []string{"example.com"}, RoleClaim: "groups",
	Admins: []string{"bosses"}, Members: []string{"staff"}}

// in sets the user who is signed in at the provider, and their groups.
func (o *op) in(subject, email string, groups ...string) {
	o.is(subject, email, true)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claims["groups"] = groups
}

func wantRole(t *testing.T, h *handlerstest.Server, email string, want db.Role) {
	t.Helper()
	u, err := h.Store.Accounts.UserByEmail(t.Context(), email)
	must(t, err)
	if u.Role != want {
		t.Errorf("%s is %s, want %s", email, u.Role, want)
	}
}

func TestWhoLosesEveryGroupLosesTheRoleAndTheSessions(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, roles)
	o.in("2", "ada@example.com", "bosses")
	desk, phone := h.Stranger(t), h.Stranger(t)
	o.enter(t, desk).Is(303)
	o.enter(t, phone).Is(303)
	desk.Get("/members").Is(200)

	o.in("2", "ada@example.com", "visitors")
	o.enter(t, h.Stranger(t)).Is(403).Shows("no role")
	if log := h.Log.String(); !strings.Contains(log, "their tokens and webhooks rest") {
		t.Errorf("the log does not say so: %s", log)
	}
	wantRole(t, h, "ada@example.com", db.Viewer)
	desk.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	phone.Get("/members").Is(303)

	o.in("2", "ada@example.com", "staff")
	o.enter(t, desk).Is(303).LeadsTo("/gallery")
	wantRole(t, h, "ada@example.com", db.Member)
}

// A session that began with the password is not the provider's.
func TestWhoLosesEveryGroupKeepsSessionsOfThePassword(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	ada := h.Joiner(t, founder, "ada")
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, roles)
	u, err := h.Store.Accounts.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	must(t, h.Store.SignOn.Link(t.Context(), u.ID, signin.Claims{Issuer: o.URL, Subject: "2", Email: "ada@example.com"}, db.Now()))
	o.in("2", "ada@example.com")
	o.enter(t, h.Stranger(t)).Is(403)
	ada.At(t, h).Get("/gallery").Is(200)
	wantRole(t, h, "ada@example.com", db.Viewer)
}

func TestTheLastAdminIsToldHowToGiveTheRoleAway(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, roles)
	kim := h.Stranger(t)
	o.in("1", "kim@example.com")
	o.enter(t, kim).Is(303).LeadsTo("/gallery")
	kim.Get("/gallery").Is(200).Shows("You stay one until another is named")
	kim.Get("/members").Is(200)
	wantRole(t, h, "kim@example.com", db.Admin)
}

// Nobody who was never admitted gets an account by being refused.
func TestRefusedSignInsSayWhomTheProviderNamed(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, roles)
	o.in("2", "ada@example.com", "staff")
	o.enter(t, h.Stranger(t)).Is(303)
	last := func() audit.Entry {
		t.Helper()
		entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.SignInRefused, Limit: 1})
		must(t, err)
		if len(entries) != 1 {
			t.Fatal("nothing is recorded")
		}
		return entries[0]
	}
	for name, tt := range map[string]struct {
		set    func()
		userID int64
		want   string
	}{
		"a stranger": {func() { o.in("3", "eve@example.com") }, 0, `; the provider named "3" with the address "eve@example.com"`},
		"a member":   {func() { o.in("2", "ada@example.com") }, 2, `; the provider named "2" with the address "ada@example.com"`},
		"no address": {func() { o.in("4", "") }, 0, `; the provider named "4"`},
		"control characters": {func() { o.in("5\x00\u202e", "a\u200b@example.com") }, 0,
			`; the provider named "5\x00\u202e" with the address "a\u200b@example.com"`},
		"long": {func() { o.in(strings.Repeat("s", 300), strings.Repeat("e", 300)+"@example.com") }, 0,
			`"` + strings.Repeat("s", 100) + `" with the address "` + strings.Repeat("e", 100) + `"`},
		"a nonce of another": {func() { o.in("6", "bo@example.com", "staff"); o.change = func(c map[string]any) { c["nonce"] = "x" } },
			0, `"6" with the address "bo@example.com"`},
		"not signed by it":    {func() { o.in("7", "bo@example.com"); o.sign = unsigned }, 0, ": no valid answer of the provider"},
		"refused by provider": {func() { o.in("8", "bo@example.com"); o.deny = true }, 0, ": the provider refused"},
	} {
		tt.set()
		if a := o.enter(t, h.Stranger(t)); a.StatusCode < 400 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
		if e := last(); e.UserID != tt.userID || !strings.HasSuffix(e.What, tt.want) {
			t.Errorf("%s: recorded of %d: %s", name, e.UserID, e.What)
		}
	}
	if log := h.Log.String(); !strings.Contains(log, "subject=3 email=eve@example.com") || strings.Contains(log, strings.Repeat("s", 101)) {
		t.Errorf("logged: %s", log)
	}
	if users, err := h.Store.Accounts.Users(t.Context()); err != nil || len(users) != 2 {
		t.Errorf("%d accounts, %v", len(users), err)
	}
}
