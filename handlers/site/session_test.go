package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/failtest"
	"dailies/db/store/sampletest"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// A session that was begun with the old password while the password was being changed
// is ended.
func TestSignInsInFlightDoNotOutliveThePassword(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	thieves := make([]*handlerstest.Browser, 6)
	for i := range thieves {
		thieves[i] = h.Stranger(t)
		thieves[i].Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303) // a sign-in from a known browser is not throttled
		thieves[i].Post("/logout", nil).Is(303)
	}
	var all sync.WaitGroup
	began, begin := make(chan struct{}), sync.Once{}
	for _, thief := range thieves {
		all.Go(func() {
			for range 5 {
				if thief.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).StatusCode != 303 {
					return
				}
				begin.Do(func() { close(began) })
				thief.Post("/logout", nil)
			}
			thief.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password))
		})
	}
	<-began
	owner.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
	all.Wait()
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 1 {
		t.Errorf("%d sessions, want the owner's alone", len(sessions))
	}
	owner.Get("/settings").Is(200)
}

// copyOf returns a browser with the same cookies.
func copyOf(t *testing.T, h *handlerstest.Server, p *handlerstest.Browser) *handlerstest.Browser {
	t.Helper()
	at, err := url.Parse(h.URL)
	must(t, err)
	other := h.Stranger(t)
	other.Jar.SetCookies(at, p.Jar.Cookies(at))
	return other
}

func TestNewPasswordRenewsTheSessionsToken(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	thief := copyOf(t, h, p)
	thief.Get("/settings").Is(200)
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
	thief.Get("/settings").Is(303)
	p.Get("/settings").Is(200)
}

func TestSignOutLeavesNothingBehind(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	thief := copyOf(t, h, p)
	a := p.Post("/logout", nil).Is(303)
	if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("Clear-Site-Data is %q", got)
	}
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, time.Time{})
	must(t, err)
	if len(sessions) != 0 {
		t.Errorf("%d sessions are left", len(sessions))
	}
	thief.Get("/settings").Is(303)
}

func TestExpiredSessionsAreSwept(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	old := signin.NewSession(1, secrets.HashToken("old"), "", db.Now().Add(-signin.SessionLife))
	must(t, sampletest.AddSession(t, h.Store, &old))
	h.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, time.UnixMilli(0))
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

func TestCookiesBehindHTTPSAreForThisHostAlone(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	for _, c := range h.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).Cookies() {
		if strings.HasPrefix(c.Name, "__Host-") || c.Secure {
			t.Errorf("with plain http: %+v", c)
		}
	}
	a := h.OverHTTPS(t).StrangerOverHTTPS(t).Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
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
	if got := h.Stranger(t).Get("/login").Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("with plain http it is %q", got)
	}
}

func TestOldCookieIsExchangedOnce(t *testing.T) {
	old := handlerstest.New(t)
	before := old.Founder(t)
	at, err := url.Parse(old.URL)
	must(t, err)
	h := old.OverHTTPS(t)
	there, err := url.Parse(h.URL)
	must(t, err)
	browser := func() *handlerstest.Browser {
		p := h.StrangerOverHTTPS(t)
		p.Jar.SetCookies(there, before.Jar.Cookies(at))
		return p
	}
	p, copied := browser(), browser()
	if got := p.Get("/tasks/latest", "HX-Request-Type", "partial").Is(200).Cookies(); len(got) != 0 {
		t.Errorf("a part exchanged the cookie: %v", got)
	}
	p.Get("/settings", "Sec-Fetch-Dest", "document").Is(200)
	for _, c := range p.Jar.Cookies(there) {
		if c.Name == "dailies" {
			t.Error("the browser still has the old cookie")
		}
	}
	p.Get("/settings").Is(200)
	p.Get("/login?next=%2Fgallery").Is(303).LeadsTo("/gallery") // another window that was too late
	copied.Get("/settings").Is(303)
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// Another site of the same domain can plant the cookie of an earlier version, with a
// session that its owner has just begun. The planted cookie signs nobody in.
func TestACookieThatIsPlantedSignsNobodyIn(t *testing.T) {
	old := handlerstest.New(t)
	old.Founder(t)
	h := old.OverHTTPS(t)
	there, err := url.Parse(h.URL)
	must(t, err)
	for _, begun := range []struct {
		token   string
		forHost bool
		want    int
	}{{"before the cookie was for one host", false, 200}, {"since then", true, 303}} {
		s := signin.NewSession(1, secrets.HashToken(begun.token), "a browser", db.Now())
		s.ForHost = begun.forHost
		must(t, sampletest.AddSession(t, h.Store, &s))
		p := h.StrangerOverHTTPS(t)
		p.Jar.SetCookies(there, handlerstest.OldCookies(t, begun.token))
		p.Get("/tasks/latest", "HX-Request-Type", "partial", "Sec-Fetch-Dest", "empty")
		p.Get("/settings").Is(begun.want)
	}
}

// A session that is used is extended, but not with every request.
func TestASessionIsExtendedEveryFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handlerstest.NewFailing(t, &failtest.Plan{}, func(*handlers.Config) {})
		p := h.Founder(t)
		began := db.Now()
		for _, tt := range []struct {
			after    time.Duration
			extended bool
		}{{4 * time.Minute, false}, {2 * time.Minute, true}, {4 * time.Minute, false}, {24 * time.Hour, true}} {
			time.Sleep(tt.after)
			a := p.Get("/keys").Is(200)
			list, err := h.Store.Sessions.Of(t.Context(), 1, db.Now())
			must(t, err)
			renewed := slices.ContainsFunc(a.Cookies(), func(c *http.Cookie) bool { return c.Name == "dailies" })
			if got := list[0].SeenAt.Equal(db.Now()); got != tt.extended || renewed != tt.extended {
				t.Errorf("%v after the start, it is extended %v with a new cookie %v, want %v", time.Since(began), got, renewed, tt.extended)
			}
		}
	})
}

// A session may end for many reasons; whose account is as it was is not told otherwise.
func TestOnlyThoseWhoseAccountWasDeactivatedAreToldSo(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada, bo := h.Joiner(t, kim, "ada"), h.Joiner(t, kim, "bo")
	kim.Post("/members/2/sessions/end", nil).Is(303)
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	ada.Get("/login?next=%2Fgallery").Is(200).Hides("deactivated")
	ada.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	kim.Post("/members/2/deactivate", nil).Is(303)
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	ada.Get("/login?next=%2Fgallery").Is(200).Shows("Your account is deactivated.")
	bo.Post("/logout", nil).Is(303)
	kim.Post("/members/3/deactivate", nil).Is(303)
	bo.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	bo.Get("/login?next=%2Fgallery").Is(200).Hides("deactivated") // others may use the browser now
}
