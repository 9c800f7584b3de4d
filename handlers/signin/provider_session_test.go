package signin_test

import (
	"database/sql"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/openid"
)

// A rechecked app asks the provider about its sessions when round is called.
type rechecked struct {
	*handlerstest.Server
	op *op
}

func newRechecked(t *testing.T, offers offers) rechecked {
	t.Helper()
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	o.offers = offers
	h = with(t, h, o)
	setRules(t, h, roles)
	return rechecked{h, o}
}

// due makes all sessions of the provider due.
func (h rechecked) due(t *testing.T) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`UPDATE provider_sessions SET next_at = 1 WHERE next_at IS NOT NULL`)
	must(t, err)
}

// tries returns how often the provider was asked in vain since its last answer about somebody.
func (h rechecked) tries(t *testing.T) (least int) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	must(t, d.QueryRow(`SELECT min(tries) FROM provider_sessions`).Scan(&least))
	return least
}

// worker returns a process that asks the provider.
func (h rechecked) worker(t *testing.T) *watch.Recheck {
	t.Helper()
	return h.workerOn(t, h.Store)
}

func (h rechecked) workerOn(t *testing.T, s *store.Store) *watch.Recheck {
	t.Helper()
	client, err := fetch.NewClient(false, fetch.Trust{Base: h.op.URL, Transport: fetch.Files()})
	must(t, err)
	p := openid.New(openid.Config{Issuer: h.op.URL, ClientID: clientID, Secret: clientSecret, Client: client})
	return watch.NewRecheck(s, h.Config.Vault, p, h.Config.Log)
}

// round makes all sessions due and asks about them.
func (h rechecked) round(t *testing.T) int {
	t.Helper()
	h.due(t)
	n, err := h.worker(t).Round(t.Context())
	must(t, err)
	return n
}

func TestTheProviderIsAskedAgainAboutASession(t *testing.T) {
	for name, offers := range map[string]offers{
		"with an ID token":         {refresh: true},
		"with userinfo":            {refresh: true, noClaims: true},
		"with offline_access":      {refresh: true, offline: true},
		"which it lists, in vain":  {refresh: false, offline: true},
		"which it refuses, lastly": {refresh: true, offline: true, noScope: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRechecked(t, offers)
			h.op.in("2", "ada@example.com", "bosses")
			ada := h.Stranger(t)
			a := h.op.enter(t, ada)
			if offers.noScope {
				to := a.Is(303).Header.Get("Location")
				ada.Get(h.op.begin(t, ada, to)).Is(303).LeadsTo("/gallery")
				h.op.mu.Lock()
				issued := len(h.op.refreshes)
				h.op.mu.Unlock()
				if issued > 0 {
					t.Error("a refresh token was issued without the scope")
				}
				h.op.enter(t, h.Stranger(t)).Is(303).LeadsTo("/gallery") // not asked again
				return
			}
			a.Is(303).LeadsTo("/gallery")
			if !offers.refresh {
				if n := h.round(t); n != 0 {
					t.Errorf("%d sessions are due", n)
				}
				return
			}
			for range 3 { // with a new token each time
				if n := h.round(t); n != 1 {
					t.Fatalf("%d sessions were due: %s", n, h.Log.String())
				}
			}
			if n, err := h.worker(t).Round(t.Context()); n != 0 || err != nil {
				t.Errorf("%d are due at once, %v", n, err)
			}
			ada.Get("/members").Is(200)
			h.op.in("2", "ada@example.com", "staff")
			h.round(t)
			ada.Get("/members").Is(404)
			ada.Get("/gallery").Is(200)
			wantRole(t, h.Server, "ada@example.com", db.Member)
			h.op.in("2", "ada@example.com", "visitors")
			h.round(t)
			ada.Get("/gallery").Is(303)
			wantRole(t, h.Server, "ada@example.com", db.Viewer)
			if log := h.Log.String(); !strings.Contains(log, "their tokens and webhooks rest") {
				t.Errorf("the log does not say so: %s", log)
			}
			if h.op.reused > 0 {
				t.Errorf("a refresh token was used twice: %d", h.op.reused)
			}
		})
	}
}

func TestASessionEndsWhenTheProviderRefusesToRenewIt(t *testing.T) {
	h := newRechecked(t, offers{refresh: true})
	h.op.in("2", "ada@example.com", "staff")
	ada := h.Stranger(t)
	h.op.enter(t, ada).Is(303)
	h.op.in("3", "bo@example.com", "staff")
	bo := h.Stranger(t)
	h.op.enter(t, bo).Is(303)

	// A provider that is down ends nothing.
	h.op.mu.Lock()
	h.op.down = true
	h.op.mu.Unlock()
	h.round(t)
	h.round(t)
	ada.Get("/gallery").Is(200)
	if tries := h.tries(t); tries != 2 {
		t.Errorf("it was asked in vain %d times", tries)
	}
	h.op.mu.Lock()
	h.op.down = false
	h.op.mu.Unlock()
	h.round(t)
	if tries := h.tries(t); tries != 0 {
		t.Errorf("after an answer, %d failures count", tries)
	}
	h.op.mu.Lock()
	for token := range h.op.refreshes { // both were signed out there
		delete(h.op.refreshes, token)
	}
	h.op.mu.Unlock()
	h.round(t)
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	bo.Get("/gallery").Is(303)
	wantRole(t, h.Server, "ada@example.com", db.Member)
}

// An answer about somebody else changes nobody's role.
func TestAnAnswerAboutSomebodyElseChangesNothing(t *testing.T) {
	for _, o := range []offers{{refresh: true}, {refresh: true, noClaims: true}} {
		h := newRechecked(t, o)
		h.op.in("2", "ada@example.com", "staff")
		ada := h.Stranger(t)
		h.op.enter(t, ada).Is(303)
		h.op.in("9", "eve@example.com", "bosses")
		h.round(t)
		wantRole(t, h.Server, "ada@example.com", db.Member)
		ada.Get("/gallery").Is(200)
		h.op.in("2", "ada@example.com", "staff")
		h.round(t) // with the token that came with the wrong answer
		ada.Get("/gallery").Is(200)
		if h.op.reused > 0 {
			t.Error("a refresh token was used twice")
		}
	}
}

func TestOneProcessAtATimeUsesARefreshToken(t *testing.T) {
	h := newRechecked(t, offers{refresh: true})
	h.op.in("2", "ada@example.com", "staff")
	ada := h.Stranger(t)
	h.op.enter(t, ada).Is(303)
	other, err := store.Open(t.Context(), h.Database)
	must(t, err)
	defer other.Close()
	for range 5 {
		h.due(t)
		h.op.mu.Lock()
		before := h.op.asked
		h.op.mu.Unlock()
		workers := []*watch.Recheck{h.worker(t), h.workerOn(t, other)}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, err := workers[i%2].Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		h.op.mu.Lock()
		if h.op.asked != before+1 || h.op.reused > 0 {
			t.Errorf("asked %d times, and %d with a used token", h.op.asked-before, h.op.reused)
		}
		h.op.mu.Unlock()
	}
	ada.Get("/gallery").Is(200)
}

func TestTheLastAdminStaysOneWhenTheProviderIsAskedAgain(t *testing.T) {
	h := newRechecked(t, offers{refresh: true})
	h.op.in("1", "kim@example.com", "bosses")
	kim := h.Stranger(t)
	h.op.enter(t, kim).Is(303)
	h.op.in("1", "kim@example.com")
	h.round(t)
	kim.Get("/members").Is(200)
	wantRole(t, h.Server, "kim@example.com", db.Admin)
}

func TestASignOutEndsTheSessionAtTheProviderToo(t *testing.T) {
	h := newRechecked(t, offers{signOut: true})
	h.op.in("2", "ada@example.com", "staff")
	ada := h.Stranger(t)
	h.op.enter(t, ada).Is(303)
	page := ada.Post("/logout", nil).Is(200).Shows("Signing you out of 127.0.0.1")
	to, err := url.Parse(strings.TrimPrefix(page.Header.Get("Refresh"), "0; url="))
	must(t, err)
	q := to.Query()
	if to.Path != "/end" || to.Host != strings.TrimPrefix(h.op.URL, "http://") || q.Get("tenant") != "1" ||
		q.Get("client_id") != clientID ||
		q.Get("post_logout_redirect_uri") != h.URL+"/login" || strings.Count(q.Get("id_token_hint"), ".") != 2 {
		t.Errorf("leads to %s", to)
	}
	page.Has(`a[href="` + to.String() + `"]`)
	ada.Get("/gallery").Is(303)
	ada.Post("/logout", nil).Is(303).LeadsTo("/login")

	h.op.enter(t, ada).Is(303)
	ada.Post("/logout", url.Values{"next": {"/settings"}}).Is(303).LeadsTo("/login?next=%2Fsettings") // to sign in again at once
	founder := h.Stranger(t)
	founder.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	founder.Post("/logout", nil).Is(303).LeadsTo("/login")
}

func TestASessionOfTheProviderEndsAfterSessionMax(t *testing.T) {
	h := newRechecked(t, offers{})
	h.op.in("2", "ada@example.com", "staff")
	ada := h.Stranger(t)
	h.op.enter(t, ada).Is(303) // before the setting
	founder := h.Stranger(t)
	founder.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	short := h.With(t, func(c *handlers.Config) { c.SessionMax = time.Hour })
	ada.At(t, short).Get("/gallery").Is(200)
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`UPDATE sessions SET created_at = created_at - 3600001`)
	must(t, err)
	ada.At(t, short).Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	ada.At(t, h.Server).Get("/gallery").Is(200)
	founder.At(t, short).Get("/gallery").Is(200)
}
