package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers"
	"dailies/web"
)

// Whoever signs in with the old password while it is changed is out afterwards.
func TestSignInsInFlightDoNotOutliveThePassword(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	thieves := make([]*person, 6)
	for i := range thieves {
		thieves[i] = h.stranger(t)
		thieves[i].post("/login", credentials("kim@example.com", password)).is(303) // known, so that nothing slows them
		thieves[i].post("/logout", nil).is(303)
	}
	var all sync.WaitGroup
	began, begin := make(chan struct{}), sync.Once{}
	for _, thief := range thieves {
		all.Go(func() {
			for range 5 {
				if thief.post("/login", credentials("kim@example.com", password)).StatusCode != 303 {
					return
				}
				begin.Do(func() { close(began) })
				thief.post("/logout", nil)
			}
			thief.post("/login", credentials("kim@example.com", password))
		})
	}
	<-began
	owner.post("/settings/password", url.Values{"current": {password}, "password": {"another long one"}}).is(303)
	all.Wait()
	sessions, err := h.store.Sessions(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 1 {
		t.Errorf("%d sessions, want the owner's alone", len(sessions))
	}
	owner.get("/settings").is(200)
}

func TestNewPasswordRenewsTheSessionsToken(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	at, err := url.Parse(h.URL)
	must(t, err)
	thief := h.stranger(t)
	thief.Jar.SetCookies(at, p.Jar.Cookies(at)) // a copy
	thief.get("/settings").is(200)
	p.post("/settings/password", url.Values{"current": {password}, "password": {"another long one"}}).is(303)
	thief.get("/settings").is(303)
	p.get("/settings").is(200)
}

func TestSignOutLeavesNothingBehind(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	at, err := url.Parse(h.URL)
	must(t, err)
	thief := h.stranger(t)
	thief.Jar.SetCookies(at, p.Jar.Cookies(at))
	a := p.post("/logout", nil).is(303)
	if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("Clear-Site-Data is %q", got)
	}
	sessions, err := h.store.Sessions(t.Context(), 1, time.Time{})
	must(t, err)
	if len(sessions) != 0 {
		t.Errorf("%d sessions are left", len(sessions))
	}
	thief.get("/settings").is(303)
}

func TestExpiredSessionsAreSwept(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	old := db.NewSession(1, db.HashToken("old"), "", db.Now().Add(-db.SessionLife))
	must(t, h.store.AddSession(t.Context(), &old))
	h.stranger(t).post("/login", credentials("kim@example.com", password)).is(303)
	sessions, err := h.store.Sessions(t.Context(), 1, time.UnixMilli(0))
	must(t, err)
	for _, s := range sessions {
		if s.ID == old.ID {
			t.Error("the expired session is kept")
		}
	}
	if len(sessions) != 2 {
		t.Errorf("%d sessions, want 2", len(sessions))
	}
}

// overHTTPS is the same Dailies behind https.
func (h *house) overHTTPS(t testing.TB) *house {
	t.Helper()
	c, other := h.config, *h
	c.PublicURL = "https://dailies.example.com"
	var err error
	c.Cookies, err = web.NewCookies([]byte("a secret of the tests"), true)
	must(t, err)
	other.app, other.config = handlers.New(c), c
	handler, err := other.app.Handler()
	must(t, err)
	other.Server = httptest.NewTLSServer(handler)
	t.Cleanup(other.Server.Close)
	return &other
}

// strangerOverHTTPS is a browser that trusts the test's certificate.
func (h *house) strangerOverHTTPS(t testing.TB) *person {
	p := h.stranger(t)
	p.Transport = h.Client().Transport
	return p
}

func TestCookiesBehindHTTPSAreForThisHostAlone(t *testing.T) {
	h := newHouse(t)
	h.founder(t)
	for _, c := range h.stranger(t).post("/login", credentials("kim@example.com", password)).is(303).Cookies() {
		if strings.HasPrefix(c.Name, "__Host-") || c.Secure {
			t.Errorf("with plain http: %+v", c)
		}
	}
	a := h.overHTTPS(t).strangerOverHTTPS(t).post("/login", credentials("kim@example.com", password)).is(303)
	if len(a.Cookies()) != 2 {
		t.Errorf("%d cookies, want the session and the known browser", len(a.Cookies()))
	}
	for _, c := range a.Cookies() {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("with https: %+v", c)
		}
	}
	if got := a.Header.Get("Strict-Transport-Security"); !strings.HasPrefix(got, "max-age=") {
		t.Errorf("Strict-Transport-Security is %q", got)
	}
	if got := h.stranger(t).get("/login").Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("with plain http it is %q", got)
	}
}

func TestOldCookieIsExchangedOnce(t *testing.T) {
	old := newHouse(t)
	before := old.founder(t)
	at, err := url.Parse(old.URL)
	must(t, err)
	h := old.overHTTPS(t)
	there, err := url.Parse(h.URL)
	must(t, err)
	browser := func() *person {
		p := h.strangerOverHTTPS(t)
		p.Jar.SetCookies(there, before.Jar.Cookies(at))
		return p
	}
	p, copied := browser(), browser()
	if got := p.get("/tasks/latest", "HX-Request-Type", "partial").is(200).Cookies(); len(got) != 0 {
		t.Errorf("a part exchanged the cookie: %v", got)
	}
	p.get("/settings", "Sec-Fetch-Dest", "document").is(200)
	for _, c := range p.Jar.Cookies(there) {
		if c.Name == "dailies" {
			t.Error("the browser still has the old cookie")
		}
	}
	p.get("/settings").is(200)
	p.get("/login?next=%2Fgallery").is(303).leadsTo("/gallery") // a second window that came too late
	copied.get("/settings").is(303)
	sessions, err := h.store.Sessions(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// Another site of the same domain can plant the cookie of before, with a session
// that its owner began just now. It signs nobody in.
func TestACookieThatIsPlantedSignsNobodyIn(t *testing.T) {
	old := newHouse(t)
	old.founder(t)
	h := old.overHTTPS(t)
	there, err := url.Parse(h.URL)
	must(t, err)
	for _, begun := range []struct {
		token   string
		forHost bool
		want    int
	}{{"before the cookie was for one host", false, 200}, {"since then", true, 303}} {
		s := db.NewSession(1, db.HashToken(begun.token), "a browser", db.Now())
		s.ForHost = begun.forHost
		must(t, h.store.AddSession(t.Context(), &s))
		p := h.strangerOverHTTPS(t)
		p.Jar.SetCookies(there, oldCookies(t, begun.token))
		p.get("/tasks/latest", "HX-Request-Type", "partial", "Sec-Fetch-Dest", "empty")
		p.get("/settings").is(begun.want)
	}
}
