package handlers_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/handlers"
	"dailies/web/throttle"
)

// with is the same Dailies, started with another setting.
func (h *house) with(t testing.TB, change func(*handlers.Config)) *house {
	t.Helper()
	c, other := h.config, *h
	change(&c)
	other.app, other.config = handlers.New(c), c
	handler, err := other.app.Handler()
	must(t, err)
	other.Server = httptest.NewServer(handler)
	t.Cleanup(other.Server.Close)
	return &other
}

func credentials(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// tooLong is a wrong password that costs no time: nothing is hashed. So no try
// comes back while a test makes many.
var tooLong = strings.Repeat("x", 4*db.MaxPasswordBytes+1)

// atOnce sends n requests at the same moment and counts the statuses.
func atOnce(n int, send func(i int) *answer) map[int]int {
	counts, mu := map[int]int{}, sync.Mutex{}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a := send(i)
			mu.Lock()
			defer mu.Unlock()
			counts[a.StatusCode]++
		})
	}
	all.Wait()
	return counts
}

func TestGuessesAtOneMomentAreCounted(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	wrong := credentials("kim@example.com", "guess")
	strangers := make([]*person, 60)
	for i := range strangers {
		strangers[i] = h.stranger(t)
	}
	if got := atOnce(60, func(i int) *answer { return strangers[i].post("/login", wrong) }); got[422] != 8 || got[429] != 52 {
		t.Errorf("signing in: %v, want 8 tries", got)
	}
	change := url.Values{"current": {"guess"}, "password": {"another long one"}}
	if got := atOnce(60, func(int) *answer { return p.post("/settings/password", change) }); got[422] != 8 || got[429] != 52 {
		t.Errorf("changing the password: %v, want 8 tries", got)
	}
}

func TestSuccessesCostNothing(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	for range 12 { // more than an account has tries
		h.stranger(t).post("/login", credentials("kim@example.com", password)).is(303)
	}
}

func TestStrangersCannotKeepTheOwnerOut(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	owner.post("/logout", nil).is(303)
	stranger := h.stranger(t)
	for range 40 {
		stranger.post("/login", credentials("kim@example.com", tooLong))
	}
	stranger.post("/login", credentials("kim@example.com", password)).is(429)
	owner.post("/login", credentials("kim@example.com", password)).is(303).leadsTo("/")
	owner.post("/logout", nil).is(303)
	for range 8 {
		owner.post("/login", credentials("kim@example.com", tooLong)).is(422)
	}
	owner.post("/login", credentials("kim@example.com", password)).is(429)
}

func TestTriesOfAnAccountAreCountedInEverySpelling(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	for _, email := range []string{"kim@example.com", "nobody@example.com"} {
		p := h.stranger(t)
		for _, spelling := range []string{email, strings.ToUpper(email), " " + email, "\u200b" + email, "ｋ" + email[1:], email + "\u00ad", strings.ToTitle(email), email[:1] + strings.Repeat("\u200b", 110) + email[1:]} {
			p.post("/login", credentials(spelling, tooLong)).is(422)
		}
		if email == "kim@example.com" {
			p.post("/login", credentials("KIM@example.com", "wrong")).is(429)
		}
	}
}

func TestAddressesComeFromTheTrustedProxyAlone(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	proxies, err := throttle.ParseProxies("127.0.0.1")
	must(t, err)
	behind := h.with(t, func(c *handlers.Config) { c.Proxies = proxies })
	p := behind.stranger(t)
	for i := range 30 {
		p.post("/login", credentials(fmt.Sprintf("nobody%d@example.com", i), tooLong), "X-Forwarded-For", fmt.Sprintf("6.6.6.%d, 198.51.100.7", i)).is(422)
	}
	p.post("/login", credentials("kim@example.com", password), "X-Forwarded-For", "198.51.100.7").is(429)
	p.post("/login", credentials("kim@example.com", password), "X-Forwarded-For", "198.51.100.7, 203.0.113.9").is(303)

	p = behind.stranger(t)
	for i := range 30 {
		p.post("/login", credentials(fmt.Sprintf("nobody%d@example.com", 100+i), tooLong), "X-Forwarded-For", fmt.Sprintf("2001:db8:1:2::%x", i)).is(422)
	}
	p.post("/login", credentials("kim@example.com", password), "X-Forwarded-For", "2001:db8:1:2:ffff::1").is(429)
	p.post("/login", credentials("kim@example.com", password), "X-Forwarded-For", "2001:db8:1:3::1").is(303)

	if strings.Contains(h.log.String(), "-trusted-proxy") {
		t.Error("a proxy that was named is warned about")
	}
	p = h.stranger(t) // nobody said that there is a proxy
	for i := range 30 {
		p.post("/login", credentials(fmt.Sprintf("nobody%d@example.com", 200+i), tooLong), "X-Forwarded-For", fmt.Sprintf("6.6.7.%d", i)).is(422)
	}
	p.post("/login", credentials("kim@example.com", password), "X-Forwarded-For", "203.0.113.9").is(429)
	if strings.Count(h.log.String(), "-trusted-proxy") != 1 {
		t.Error("the warning is not given once")
	}
}

// A hash takes 19 MiB, which shows that there was none.
func TestNobodyWithoutALinkMakesTheProgramHash(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	p := h.stranger(t)
	form := url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {password}}
	for _, path := range []string{"/join/nonsense", "/reset/nonsense"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 30 {
			p.post(path, form).is(404)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
			t.Errorf("%s: 30 requests took %d MiB", path, grown>>20)
		}
		if p.post(path, form).is(429).Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	p.post("/login", credentials("kim@example.com", password)).is(303) // which is counted by itself
}

func TestSetupTokenIsNotGuessed(t *testing.T) {
	h := newHouse(t)
	p := h.stranger(t)
	for i := range 30 {
		p.get(fmt.Sprintf("/setup?token=%d", i)).is(200).hides(`name="password"`)
	}
	p.get("/setup?token=" + setupToken).is(429).hides(`name="password"`)
	form := url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {password}}
	p.post("/setup?token="+setupToken, form).is(429)
	p.get("/setup").is(200).shows("in the server's log")
}

func TestSignInIsLoggedWithoutSecrets(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	s := h.stranger(t)
	s.post("/login", credentials("kim@example.com", "hidden-wrong-one")).is(422)
	s.post("/login", credentials("hidden-typed-as-email", "x")).is(422)
	s.post("/login", credentials(strings.Repeat("y", 200)+"@example.com\nlevel=INFO", "x")).is(422)
	p.post("/settings/password", url.Values{"current": {"hidden-wrong-one"}, "password": {"x"}}).is(422)
	p.post("/settings/password", url.Values{"current": {password}, "password": {"hidden-new-one-here"}}).is(303)
	ada := h.joiner(t, p, "ada")
	ada.get("/").is(303)
	log := h.log.String()
	for _, want := range []string{"a sign-in failed", "email=kim@example.com", "address=127.0.0.1", "present one was wrong", "a password was changed", "a join link was made", "somebody joined", "the first account was made"} {
		if !strings.Contains(log, want) {
			t.Errorf("not logged: %s", want)
		}
	}
	for _, secret := range []string{"hidden-", password, strings.Repeat("y", 101), "\nlevel=INFO\n"} {
		if strings.Contains(log, secret) {
			t.Errorf("%.40q is in the log", secret)
		}
	}
}
