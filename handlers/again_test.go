package handlers_test

import (
	"database/sql"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/handlers/handlerstest"
)

// everySignInChange lists the routes that change how a user signs in. Those with
// themselves set ask every time for the password or a code; the others ask only if
// the user has not signed in recently.
var everySignInChange = []struct {
	pattern, path string
	themselves    bool
}{
	{"POST /settings/password", "/settings/password", true}, // asks for the password
	{"POST /settings/codes/renew", "/settings/codes/renew", true},
	{"POST /settings/codes/off", "/settings/codes/off", true}, // asks for a code
	{"POST /settings/codes", "/settings/codes", false},
	{"POST /settings/passkeys", "/settings/passkeys", false},
	{"POST /settings/passkeys/{id}/delete", "/settings/passkeys/1/delete", false},
	{"POST /settings/programs", "/settings/programs", false}, // a token works without signing in
	{"POST /settings/identities", "/settings/identities", false},
	{"POST /settings/identities/{id}/remove", "/settings/identities/1/remove", false},
	{"POST /team/sign-on", "/team/sign-on", false},
	{"POST /team/service", "/team/service", false}, // with a key that everybody uses
	{"POST /members/{id}/reset", "/members/1/reset", false},
	{"POST /members/{id}/second/remove", "/members/1/second/remove", false},
}

// accountChange matches the patterns of the changes in the settings, of members and of the team.
var accountChange = regexp.MustCompile(`^POST /(settings|members|team)\b`)

// noSignInChange matches the other changes in the settings and of members: those
// change other data or permissions, or end sessions.
var noSignInChange = regexp.MustCompile(`^POST /(settings|settings/(mail|theme|playing|key|webhooks?|sandbox|sessions)\b.*|` +
	`settings/programs/.*|settings/passkeys/(options|\{id\})|` +
	`members/(zone|invites)\b.*|members/\{id\}/(role|sessions/end|deactivate|activate|limit)|` +
	`team/(limits|keys|provider|announcement|mail|brand|labels|consent)\b.*)$`)

func TestWhateverChangesHowSomebodySignsInAsksAgain(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	for _, subject := range []string{"1", "2"} { // one is disconnected, the other is removed with the second step
		must(t, h.Store.SignOn.Link(t.Context(), 1, signin.Claims{Issuer: "https://login.example.com", Subject: subject}, h.Store.Now()))
	}
	var listed []string
	for _, row := range everySignInChange {
		listed = append(listed, row.pattern)
	}
	for _, row := range h.App.Routes() {
		pattern := row.Pattern
		if accountChange.MatchString(pattern) && slices.Contains(listed, pattern) == noSignInChange.MatchString(pattern) {
			t.Errorf("it is not known whether %s changes how somebody signs in", pattern)
		}
	}

	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	later := func() {
		t.Helper()
		_, err := d.Exec(`UPDATE sessions SET created_at = created_at - 3600000`)
		must(t, err)
	}
	changes := func() (n int) {
		t.Helper()
		must(t, d.QueryRow(`SELECT count(*) FROM audit`).Scan(&n))
		return n
	}
	later()
	before := changes()
	for i, row := range everySignInChange {
		if row.themselves {
			kim.Post(row.path, nil).Is(422)
			continue
		}
		form := url.Values{"what": {"My <phone>"}, "admit": {"nobody", "x"}, "passwords": {"on"}}
		asked := kim.Post(row.path, form).Is(200).Has(`#again[action="`+row.path+`"] [name=current]`,
			`#again [name=passwords][value=on]`, `#again [name=admit][value=x]`).Shows("My &lt;phone&gt;")
		asked.Has(`form[action="/logout"] [name=next]`)
		if i%3 == 0 { // wrong passwords are counted
			form.Set("current", "a guess")
			kim.Post(row.path, form).Is(422).Has("#current-error", "#again [name=admit]").Lacks("#again [value='a guess']")
		}
	}
	if changes() != before {
		t.Error("something was changed")
	}
	for _, row := range everySignInChange {
		if !row.themselves {
			form := url.Values{"passwords": {"on"}, "current": {handlerstest.Password}}
			kim.Post(row.path, form).Lacks("#again")
		}
	}
	for _, action := range []audit.Action{audit.IdentityUnlinked, audit.PasswordReset, audit.SecondStepDropped} {
		entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: action, Limit: 9})
		must(t, err)
		if len(entries) != 1 {
			t.Errorf("%s: %d times", action, len(entries))
		}
	}

	// A user without a password signs in again, and then comes back.
	_, err = d.Exec(`UPDATE users SET password = ''`)
	must(t, err)
	for _, row := range everySignInChange {
		if !row.themselves {
			kim.Post(row.path, url.Values{"current": {""}}).Is(200).Lacks("#again").Shows("sign in again, then come back").
				Has(`form[action="/logout"] [name=next]`)
		}
	}
	kim.Post("/logout", url.Values{"next": {"/members/1"}}).Is(303).LeadsTo("/login?next=%2Fmembers%2F1")
	kim.Post("/logout", url.Values{"next": {"//evil.example.com"}}).Is(303).LeadsTo("/login")
}
