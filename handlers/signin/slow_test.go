package signin_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

var wrongCode = url.Values{"code": {"000000"}}

// withCodes returns an app whose founder uses one-time codes and is signed out, with
// their browser and the secret of the codes. Mails can be sent.
func withCodes(t *testing.T) (h *handlerstest.Server, owner *handlerstest.Browser, secret string) {
	t.Helper()
	first := handlerstest.New(t)
	h = first.With(t, func(c *handlers.Config) { c.Mail = true })
	owner = h.Founder(t)
	secret, _ = turnOn(t, owner)
	owner.Post("/logout", nil).Is(303)
	return h, owner, secret
}

// halfIn gives the right password in the browser.
func halfIn(p *handlerstest.Browser) *handlerstest.Browser {
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/login/code")
	return p
}

// later makes the time pass since all wrong guesses.
func later(t *testing.T, h *handlerstest.Server, by time.Duration) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`UPDATE guesses SET at = at - ?`, by.Milliseconds())
	must(t, err)
}

func TestPausesBetweenWrongCodesGrowToHours(t *testing.T) {
	h, owner, secret := withCodes(t)
	p := halfIn(h.Stranger(t))
	for range 8 {
		p.Post("/login/code", wrongCode).Is(422)
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360} {
		want *= time.Minute
		seconds, _ := strconv.Atoi(p.Post("/login/code", wrongCode).Is(429).Header.Get("Retry-After"))
		if got := time.Duration(seconds) * time.Second; got > want || got < want-10*time.Second {
			t.Fatalf("the pause is %s, want %s", got, want)
		}
		later(t, h, want)
		// After the pause there is one try, however many are sent at once, and in whatever process.
		other := p.At(t, h.Beside(t))
		got := handlerstest.AtOnce(6, func(i int) *handlerstest.Answer {
			return []*handlerstest.Browser{p, other}[i%2].Post("/login/code", wrongCode)
		})
		if got[422] != 1 || got[429] != 5 {
			t.Fatalf("after a pause of %s: %v", want, got)
		}
	}
	p.Post("/login/code", wrongCode).Is(429).Shows("6 hours")
	// The owner's browser is not held up, and their right code ends the pause.
	halfIn(owner).Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
	p.Post("/login/code", wrongCode).Is(422)
}

func TestNobodyLocksTheOwnerOutOfABrowserTheyHaveUsed(t *testing.T) {
	h, owner, secret := withCodes(t)
	for range 6 { // from the same network as the owner
		p := halfIn(h.Stranger(t))
		for range 10 {
			p.Post("/login/code", wrongCode)
		}
		later(t, h, time.Minute)
	}
	halfIn(owner)
	for range 8 {
		owner.Post("/login/code", wrongCode).Is(422)
	}
	seconds := 0
	for range 12 { // the owner is clumsy
		seconds, _ = strconv.Atoi(owner.Post("/login/code", wrongCode).Is(429).Header.Get("Retry-After"))
		later(t, h, time.Duration(seconds)*time.Second)
		owner.Post("/login/code", wrongCode).Is(422)
	}
	if seconds > 15*60 {
		t.Errorf("the owner has to wait %d seconds", seconds)
	}
	later(t, h, 15*time.Minute)
	owner.Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
	owner.Post("/logout", nil).Is(303)
	halfIn(owner).Post("/login/code", wrongCode).Is(422) // nothing is left of the pauses
}

// Somebody who knows the password can sign in with any number of browsers before the
// owner turns codes on. These browsers have no tries of their own.
func TestKnownBrowsersDoNotMultiplyTries(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	thieves := make([]*handlerstest.Browser, 5)
	for i := range thieves {
		thieves[i] = h.Stranger(t)
		thieves[i].Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/")
	}
	secret, _ := turnOn(t, owner)
	tries := 0
	for _, thief := range thieves {
		halfIn(thief)
		got := handlerstest.AtOnce(10, func(int) *handlerstest.Answer { return thief.Post("/login/code", wrongCode) })
		tries += got[422]
	}
	if tries != 8 {
		t.Errorf("%d tries, want 8", tries)
	}
	owner.Post("/logout", nil).Is(303)
	halfIn(owner).Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
}

func TestTheOwnerIsToldOfWrongCodes(t *testing.T) {
	h, owner, secret := withCodes(t)
	told := func() (mails int) {
		t.Helper()
		list, err := h.Store.Mail.Mails(t.Context(), 100)
		must(t, err)
		for _, m := range list {
			if m.Kind == outbox.MailSigning && m.Details.Action == audit.CodesGuessed {
				mails++
				if m.UserID != 1 || m.Address != "kim@example.com" || m.Details.From == "" {
					t.Errorf("the mail: %+v", m)
				}
			}
		}
		return mails
	}
	p := halfIn(h.Stranger(t))
	for i := range 8 {
		if n := told(); n > 0 {
			t.Errorf("told after %d tries", i)
		}
		p.Post("/login/code", wrongCode).Is(422)
	}
	for range 3 {
		later(t, h, 6*time.Hour)
		p.Post("/login/code", wrongCode).Is(422)
	}
	if n := told(); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	halfIn(owner).Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
	owner.Get("/gallery").Is(200).Shows("Eight wrong codes")
	owner.Get("/settings").Is(200).Has("#guessed")
	owner.Get("/members/1").Is(200).Has("#guessed")
	owner.Get("/audit?noun=codes").Is(200).Shows("entered many wrong codes")
	owner.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"quite another one"}}).Is(303)
	owner.Get("/settings").Is(200).Lacks("#guessed")
	owner.Get("/members/1").Is(200).Lacks("#guessed")
}

func TestCodesInSettingsAndPasswordsInSessionsAreSlowedToo(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	turnOn(t, owner)
	for i := range 8 {
		owner.Post("/settings/codes/off", url.Values{"off": {fmt.Sprintf("%06d", i)}}).Is(422)
	}
	owner.Post("/settings/codes/renew", url.Values{"renew": {"000000"}}).Is(429)
	wrong := url.Values{"current": {"a wrong one"}, "password": {"quite another one"}}
	for range 8 {
		owner.Post("/settings/password", wrong).Is(422)
	}
	for range 12 {
		owner.Post("/settings/password", wrong).Is(429)
		later(t, h, 6*time.Hour)
		owner.Post("/settings/password", wrong).Is(422)
	}
	if seconds, _ := strconv.Atoi(owner.Post("/settings/password", wrong).Is(429).Header.Get("Retry-After")); seconds < 5*3600 {
		t.Errorf("the pause is %d seconds", seconds)
	}
}

func TestRightCodesLeaveNoTrace(t *testing.T) {
	h, _, secret := withCodes(t)
	must(t, h.Store.SecondSteps.RenewPassword(t.Context(), 1, user(t, h, 1).Password, secrets.HashPassword(handlerstest.Password)))
	halfIn(h.Stranger(t)).Post("/login/code", url.Values{"code": {codeOf(t, secret, 0)}}).Is(303)
	d, err := sql.Open("sqlite", "file:"+h.Database)
	must(t, err)
	defer d.Close()
	var n int
	must(t, d.QueryRow(`SELECT count(*) FROM guesses`).Scan(&n))
	if n != 0 {
		t.Errorf("%d counts are left", n)
	}
}
