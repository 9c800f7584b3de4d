package account

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/openid"
)

// SignIn starts and ends sessions.
type SignIn struct {
	site     *site.Site
	provider *openid.Provider // nil without one
}

// Show answers with the sign-in page.
func (s *SignIn) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, accountview.LoginForm{Next: r.FormValue("next")})
}

// maxTypedEmail bounds, in bytes, what is looked at of a typed e-mail address.
const maxTypedEmail = 1200

// Begin starts a session. A wrong address and a wrong password look the same
// and take the same time. The attempt is taken before anything is hashed, so
// that many at one moment are counted too. The log names accounts that exist
// and never what was typed, which may be a password in the wrong field.
func (s *SignIn) Begin(w http.ResponseWriter, r *http.Request) error {
	email, password := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("email")), maxTypedEmail)), r.PostFormValue("password")
	form := accountview.LoginForm{Email: site.Clip(email, 320), Next: r.FormValue("next")}
	if rules, err := s.site.Store.SignOn(r.Context()); err != nil {
		return err
	} else if rules.PasswordsOff {
		return s.refuseOff(w, r, form)
	}
	u, err := s.byEmail(r, email)
	if err != nil {
		return err
	}
	attempt, wait, err := s.site.Tries.Take(r.Context(), s.limits(r, email, u)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		form.Errors = part.Errors{"": site.TooMany(w, wait)}
		return s.page(w, r, http.StatusTooManyRequests, form)
	}
	err = s.check(w, r, u, password)
	if errors.Is(err, db.ErrConflict) { // the password was changed, or renewed, at this moment
		if u, err = s.byEmail(r, email); err == nil {
			err = s.check(w, r, u, password)
		}
	}
	switch {
	case errors.Is(err, errWrongPassword), errors.Is(err, db.ErrConflict):
		s.refused(r, u)
		form.Errors = part.Errors{"": "The e-mail address or the password is not right."}
		return s.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, errClosed):
		s.refused(r, u)
		form.Errors = part.Errors{"": site.Closed}
		return s.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, errHalf):
		attempt.GiveBack()
		return s.halfway(w, r, u, site.Local(form.Next))
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return web.SeeOther(w, r, site.Local(form.Next))
}

// refused writes down that a sign-in was refused, of nobody where there is no such
// account.
func (s *SignIn) refused(r *http.Request, u db.User) {
	s.site.Log.Warn("a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100), "address", s.site.Address(r))
	what := "with a password"
	if u.ID == 0 {
		what = "with an address that no account has"
	}
	if err := s.site.Store.Record(r.Context(), team.Entry{Action: team.SignInRefused, UserID: u.ID, What: what}); err != nil {
		s.site.Log.Error("a refused sign-in could not be recorded", "err", err)
	}
}

// byEmail returns the account with the e-mail address, the zero User if there
// is none.
func (s *SignIn) byEmail(r *http.Request, email string) (db.User, error) {
	u, err := s.site.Store.UserByEmail(r.Context(), email)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return u, err
}

var (
	errWrongPassword = errors.New("wrong password")
	errClosed        = errors.New("the account is deactivated")
	errHalf          = errors.New("a second factor is needed")
)

// check starts a session if the password is right, and renews its hash if that
// is due. It is db.ErrConflict if the hash changed meanwhile.
func (s *SignIn) check(w http.ResponseWriter, r *http.Request, u db.User, password string) error {
	ok, renew := db.MatchPassword(u.Password, password)
	if !ok {
		return errWrongPassword
	}
	if !u.IsActive() {
		return errClosed
	}
	renewed := ""
	if renew {
		renewed = db.HashPassword(password)
	}
	factors, err := s.site.Store.Factors(r.Context(), u.ID)
	if err != nil {
		return err
	}
	if !factors.Any() {
		return s.start(w, r, u, renewed)
	}
	if renewed != "" { // the page of the second factor never sees the password
		if err := s.site.Store.RenewPassword(r.Context(), u.ID, u.Password, renewed); err != nil {
			return err
		}
		return db.ErrConflict // with the account as it is now
	}
	return errHalf
}

// End ends the session in the database too, so that a copied cookie is
// worth nothing, and lets the browser forget the pictures and videos that it
// has kept. Who signs out only to sign in again comes back to where they were.
func (s *SignIn) End(w http.ResponseWriter, r *http.Request) error {
	v, err := s.site.Viewer(r)
	if err == nil {
		err = s.site.Store.EndSession(r.Context(), v.User.ID, v.Session.ID)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := s.site.Cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache"`)
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		return web.SeeOther(w, r, "/login?next="+url.QueryEscape(next))
	}
	return web.SeeOther(w, r, "/login")
}

func (s *SignIn) page(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	f, err := s.site.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = s.site.Cookies.Take(w, r, "flash") // of somebody who has just set a new password
	}
	if err != nil {
		return err
	}
	if err := s.fill(r, &form); err != nil {
		return err
	}
	page := accountview.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}

// welcome signs a new account in, with a key already where the sandbox can
// give one, so that the next page is a form that works.
func (s *SignIn) welcome(w http.ResponseWriter, r *http.Request, u db.User) error {
	if s.site.Sandbox != nil && u.Makes() {
		ctx := team.Acting(r.Context(), team.Actor{UserID: u.ID, Name: u.Name, Address: s.site.Address(r)})
		if err := s.giveSandboxKey(ctx, u); err != nil {
			s.site.Log.Error("no sandbox key for a new account", "user", u.ID, "err", err)
		}
	}
	if err := s.start(w, r, u, ""); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/")
}

// giveSandboxKey gives the person a key of their own, unless nobody may use one.
func (s *SignIn) giveSandboxKey(ctx context.Context, u db.User) error {
	if allowed, err := s.site.Store.OwnKeysAllowed(ctx); err != nil || !allowed {
		return err
	}
	key, err := s.site.Sandbox.NewKey(ctx, u.Name, site.SandboxCredits)
	if err != nil {
		return err
	}
	return s.site.Keys.Put(ctx, u.ID, key, true)
}
