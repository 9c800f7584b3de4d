package site

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/people"
	"dailies/web"
)

// Open lets everybody through, signed in or not.
func (s *Guard) Open(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return h(w, r.WithContext(audit.Acting(r.Context(), audit.Actor{Address: s.network.Address(r)})))
	}
}

// Known lets everybody through, like Open, and knows who is signed in.
func (s *Guard) Known(h web.Handler) web.Handler {
	return s.Open(func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.viewers.Viewer(r)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if err == nil && !v.Session.Unproven {
			r = r.WithContext(context.WithValue(r.Context(), viewerKey{}, v))
		}
		return h(w, r)
	})
}

// SignedIn lets users with a session through, and redirects others to the sign-in
// page, or to the setup page while no account exists.
func (s *Guard) SignedIn(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.viewers.Viewer(r)
		if err == nil {
			err = s.viewers.exchangeToken(w, r, v.Session)
		}
		if errors.Is(err, db.ErrNotFound) {
			return s.entry.LeadIn(w, r)
		}
		if err != nil {
			return err
		}
		if err := s.viewers.touch(w, r, v.Session); err != nil {
			return err
		}
		if v.Session.Unproven && !setsUpSecondStep(r) {
			return s.entry.leadTo(w, r, SecondPath)
		}
		if r.Method == http.MethodPost {
			if foreign, err := isForeign(r, v.User.ID); err != nil {
				return err
			} else if foreign {
				return foreignForm(s.typed, w, r, v)
			}
			if err := s.typed.DropTyped(w, r, v.User.ID, formPage(r)); err != nil {
				return err
			}
		}
		web.LogUser(r.Context(), v.User.ID)
		ctx := audit.Acting(r.Context(), audit.Actor{UserID: v.User.ID, Name: v.User.Name, Address: s.network.Address(r)})
		return h(w, r.WithContext(context.WithValue(ctx, viewerKey{}, v)))
	}
}

// Maker lets users through who may make videos. Users with the role viewer are told
// that they may not.
func (s *Guard) Maker(h web.Handler) web.Handler {
	return s.SignedIn(func(w http.ResponseWriter, r *http.Request) error {
		if !Me(r).Makes() {
			return web.Forbidden(watchOnly)
		}
		return h(w, r)
	})
}

// Admin lets admins through. Everybody else gets a 404.
func (s *Guard) Admin(h web.Handler) web.Handler {
	return s.SignedIn(func(w http.ResponseWriter, r *http.Request) error {
		if !Me(r).IsAdmin() {
			return web.NotFound()
		}
		return h(w, r)
	})
}

// AdminOr403 is like Admin for a page whose existence is no secret: the 403 that everybody
// else gets says whom to ask.
func (s *Guard) AdminOr403(h web.Handler) web.Handler {
	return s.SignedIn(func(w http.ResponseWriter, r *http.Request) error {
		if !Me(r).IsAdmin() {
			return &web.Error{Status: http.StatusForbidden, Message: adminsOnly}
		}
		return h(w, r)
	})
}

// DevOnly lets everybody through if -dev is set; otherwise the response is a 404.
// Such pages show no user data, so they need no session.
func (s *Guard) DevOnly(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.dev {
			return web.NotFound()
		}
		return h(w, r)
	}
}

// SignedOut lets browsers without a session through, and redirects others to the page
// named by the parameter "next".
func (s *Guard) SignedOut(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ready, err := s.entry.HasAccount(r.Context())
		if err != nil {
			return err
		}
		if !ready {
			return web.SeeOther(w, r, "/setup")
		}
		if _, err := s.viewers.Viewer(r); err == nil {
			return web.SeeOther(w, r, Local(r.FormValue("next")))
		} else if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return s.Open(h)(w, r)
	}
}

// SecondPath is the page that asks a user to set up a second step.
const SecondPath = "/settings/second"

// setsUpSecondStep reports whether the request is for a page that sets up a second
// step. A session that still lacks a required second step can open only these
// pages.
func setsUpSecondStep(r *http.Request) bool {
	return slices.ContainsFunc([]string{SecondPath, "/settings/codes", "/settings/passkeys"}, func(path string) bool {
		return r.URL.Path == path || strings.HasPrefix(r.URL.Path, path+"/")
	})
}

// An Entry leads browsers without a session to the page where one begins, and from there
// back.
type Entry struct {
	accounts *people.Accounts
	cookies  *web.Cookies
	typed    *TypedForms
	// settled is set once an account exists, which saves a query for each request.
	settled atomic.Bool
}

// LeadIn redirects a browser without a session to the sign-in page, or to the setup
// page, and from there back. A long form that was submitted is kept meanwhile.
func (e *Entry) LeadIn(w http.ResponseWriter, r *http.Request) error {
	ready, err := e.HasAccount(r.Context())
	if err != nil {
		return err
	}
	if !ready {
		return e.leadTo(w, r, "/setup")
	}
	if err := e.explainDeactivation(w, r); err != nil {
		return err
	}
	return e.leadTo(w, r, "/login")
}

// leadTo redirects to a page that must be completed first, and from there back.
func (e *Entry) leadTo(w http.ResponseWriter, r *http.Request, page string) (err error) {
	to := page
	if page != "/setup" {
		next := r.URL.RequestURI()
		if r.Method != http.MethodGet {
			if next, err = e.typed.keepTyped(w, r); err != nil {
				return err
			}
			if next == "" && r.Referer() != "" {
				next = CameFrom(r)
			}
		}
		if next != "" && next != "/" {
			to += "?next=" + url.QueryEscape(next)
		}
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		// A fragment cannot show the sign-in form: redirect the whole page.
		w.Header().Set("HX-Redirect", strings.Replace(page, "/setup", "/login", 1))
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	return web.SeeOther(w, r, to)
}

// explainDeactivation adds a flash message if this browser's session ended because
// its account was deactivated.
func (e *Entry) explainDeactivation(w http.ResponseWriter, r *http.Request) error {
	id := ParseID(e.cookies.PeekFlash(r, "account"))
	if id == 0 || e.cookies.Token(r) == "" {
		return nil
	}
	u, err := e.accounts.User(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) || err == nil && u.IsActive() {
		return nil
	}
	if err != nil {
		return err
	}
	return e.cookies.SetFlash(w, r, "flash", Closed)
}

// HasAccount reports whether any account exists.
func (e *Entry) HasAccount(ctx context.Context) (bool, error) {
	if e.settled.Load() {
		return true, nil
	}
	has, err := e.accounts.HasUsers(ctx)
	if has {
		e.settled.Store(true)
	}
	return has, err
}
