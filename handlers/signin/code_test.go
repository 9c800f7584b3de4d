package signin_test

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// codeOf returns the secret's code for the present half minute plus off half minutes.
func codeOf(t *testing.T, secret string, off int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(secret, " ", ""))
	must(t, err)
	return secrets.CodeAt(key, secrets.CodeStep(time.Now())+off)
}

// turnOn turns one-time codes on, and returns their secret and the recovery codes.
func turnOn(t *testing.T, p *handlerstest.Browser) (secret string, recovery []string) {
	t.Helper()
	secret = htmltest.Text(htmltest.First(t, p.Get("/settings/codes").Is(200).Has("svg.qr").Root(), "#secret"))
	p.Post("/settings/codes", url.Values{"code": {"000"}}).Is(422).Shows("check your phone’s clock").Reads("#secret", secret)
	to := p.Post("/settings/codes", url.Values{"code": {codeOf(t, secret, -1)}}).Is(303).Header.Get("Location")
	recovery = strings.Fields(htmltest.Attr(htmltest.First(t, p.Get(to).Is(200).Root(), "#recovery"), "value"))
	if len(recovery) != secrets.RecoveryCodes {
		t.Fatalf("recovery codes: %v", recovery)
	}
	p.Get("/settings/codes").Is(200).Hides(recovery[0]).Shows("10 recovery codes left")
	return secret, recovery
}

func TestACodeIsAskedForAfterThePassword(t *testing.T) {
	h := handlerstest.New(t)
	secret, recovery := turnOn(t, h.Founder(t))
	right := handlerstest.Credentials("kim@example.com", handlerstest.Password)
	right.Set("next", "/gallery")

	p := h.Stranger(t)
	p.Get("/login/code").Is(303).LeadsTo("/login")
	p.Post("/login/code", url.Values{"code": {codeOf(t, secret, 0)}}).Is(303).LeadsTo("/login")
	p.Post("/login", right).Is(303).LeadsTo("/login/code")
	p.Get("/gallery").Is(303) // the password alone opens nothing
	p.Get("/login/code").Is(200).Has("[name=code]").Lacks("[name=password]")
	p.Post("/login/code", url.Values{"code": {codeOf(t, secret, -1)}}).Is(422) // was already used to turn codes on
	p.Post("/login/code", url.Values{"code": {codeOf(t, secret, 5)}}).Is(422)
	p.Post("/login/code", url.Values{"code": {""}}).Is(422)
	now := codeOf(t, secret, 1)
	p.Post("/login/code", url.Values{"code": {now[:3] + " " + now[3:]}}).Is(303).LeadsTo("/gallery")
	p.Get("/gallery").Is(200)

	q := h.Stranger(t)
	q.Post("/login", right).Is(303)
	q.Post("/login/code", url.Values{"code": {now}}).Is(422) // each code works only once
	q.Post("/login/code", url.Values{"code": {strings.ToUpper(recovery[2])}}).Is(303)
	q.Post("/logout", nil)
	q.Post("/login", right).Is(303)
	q.Post("/login/code", url.Values{"code": {recovery[2]}}).Is(422)
	q.Get("/settings/codes").Is(303)

	// The password is changed between the two steps.
	must(t, h.Store.SecondSteps.RenewPassword(t.Context(), 1, user(t, h, 1).Password, secrets.HashPassword("another long one")))
	q.Post("/login/code", url.Values{"code": {recovery[3]}}).Is(303).LeadsTo("/login")

	p.Post("/settings/codes/renew", url.Values{"renew": {recovery[2]}}).Is(422)
	p.Post("/settings/codes/renew", url.Values{"renew": {recovery[4]}}).Is(303)
	p.Get("/settings/codes").Is(200)
	p.Post("/settings/codes/off", url.Values{"off": {recovery[5]}}).Is(422) // replaced by the renewal
	must(t, h.Store.SecondSteps.DropSecondStep(t.Context(), 1, 0))
	h.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", "another long one")).Is(303).LeadsTo("/")
}

func user(t *testing.T, h *handlerstest.Server, id int64) db.User {
	t.Helper()
	u, err := h.Store.Accounts.User(t.Context(), id)
	must(t, err)
	return u
}

func TestATooLongNextAddressIsShortened(t *testing.T) {
	h := named(t)
	secret, _ := turnOn(t, h.Founder(t))
	form := handlerstest.Credentials("kim@example.com", handlerstest.Password)
	for i, tt := range []struct{ next, to string }{
		{"/gallery?q=" + strings.Repeat("a", 3500), "/gallery"},
		{"/" + strings.Repeat("a", 3500), "/"},
	} {
		p := h.Stranger(t)
		form.Set("next", tt.next)
		p.Post("/login", form).Is(303).LeadsTo("/login/code")
		p.Post("/login/passkey/options?half=1", nil).Is(404) // the account has no passkey
		p.Post("/login/code", url.Values{"code": {codeOf(t, secret, int64(i))}}).Is(303).LeadsTo(tt.to)
	}
}

func TestGuessesOfCodesAreSlowed(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	secret, _ := turnOn(t, owner)
	owner.Post("/logout", nil).Is(303)
	p := h.Stranger(t)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	got := handlerstest.AtOnce(20, func(int) *handlerstest.Answer { return p.Post("/login/code", url.Values{"code": {"000000"}}) })
	if got[422] != 8 || got[429] != 12 {
		t.Errorf("%v, want 8 tries", got)
	}
	p.Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(429)
	// The owner's browser has signed in before, so it has tries of its own.
	owner.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	got = handlerstest.AtOnce(7, func(int) *handlerstest.Answer { return owner.Post("/login/code", url.Values{"code": {"000000"}}) })
	if got[422] != 7 {
		t.Errorf("%v, want 7 tries", got)
	}
	owner.Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
	owner.Post("/logout", nil).Is(303)
	// Links for a new password give no further tries. The owner's right code has given
	// strangers theirs back, so they have to be used up first.
	stranger := h.Stranger(t)
	stranger.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	for range 8 {
		stranger.Post("/login/code", url.Values{"code": {"000000"}}).Is(422)
	}
	stranger.Post("/login/code", url.Values{"code": {"000000"}}).Is(429)
	for i := range 2 {
		reset, token := signin.NewReset(1, db.Now())
		must(t, h.Store.Sessions.AddReset(t.Context(), reset))
		reader := h.Stranger(t)
		reader.Post("/reset/"+token, url.Values{"password": {"an entirely new one"}}).Is(303)
		reader.Post("/login", handlerstest.Credentials("kim@example.com", "an entirely new one")).Is(303).LeadsTo("/login/code")
		got = handlerstest.AtOnce(8, func(int) *handlerstest.Answer { return reader.Post("/login/code", url.Values{"code": {"000000"}}) })
		if got[422] > 0 {
			t.Errorf("link %d: %v", i, got)
		}
	}
}

func TestASecondStepIsRequired(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	ada := h.Joiner(t, founder, "ada")
	founder.Post("/team/sign-on", url.Values{"passwords": {"on"}, "second": {"on"}}).Is(303)
	// Sessions from before the rule need the second step, too, and nothing else
	// opens.
	for _, p := range []*handlerstest.Browser{founder, ada} {
		p.Get("/gallery?q=boat").Is(303).LeadsTo("/settings/second?next=%2Fgallery%3Fq%3Dboat")
		p.Get("/settings").Is(303).LeadsTo("/settings/second?next=%2Fsettings")
		p.Post("/settings/password", url.Values{}).Is(303)
	}
	founder.Get("/members").Is(303)
	ada.Get("/settings/second?next=/gallery").Is(200).Shows("/settings/codes?next=%2Fgallery").Has(`form[action="/logout"]`)
	ada.Get("/gallery", "HX-Request-Type", "partial").Is(401)
	thief := h.Stranger(t)
	thief.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	turnOn(t, ada)
	turnOn(t, founder)
	founder.Get("/members/2").Is(200).Reads("#set-up-alone", "from the network address 127.0.0.1").
		Has(`form[action="/members/2/second/remove"]`)
	thief.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	ada.Get("/gallery").Is(200)
	ada.Get("/settings/second").Is(303)
	founder.Post("/members/2/second/remove", nil).Is(303)
	founder.Get("/members/2").Is(200).Lacks("#set-up-alone")
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	bo := h.Stranger(t)
	bo.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303).LeadsTo("/")
	bo.Get("/").Is(303).LeadsTo("/settings/second")
	bo.Post("/logout", nil).Is(303).LeadsTo("/login")
}
