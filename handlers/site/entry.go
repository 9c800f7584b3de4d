package site

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/web"
)

// An Entry leads browsers without a session to the page where one begins, and from there
// back.
type Entry struct {
	accounts *people.Accounts
	cookies  *web.Cookies
	typing   *Typing
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
			if next, err = e.typing.keepTyped(w, r); err != nil {
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

// Closed tells users that their account was deactivated.
const Closed = "Your account was deactivated. An admin of your team can say more, and can activate it again within 30 days."

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
