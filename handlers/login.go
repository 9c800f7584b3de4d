package handlers

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

func (a *App) showLogin(w http.ResponseWriter, r *http.Request) error {
	return a.loginPage(w, r, http.StatusOK, accountview.LoginForm{Next: r.FormValue("next")})
}

// maxTypedEmail bounds, in bytes, what is looked at of a typed e-mail address.
const maxTypedEmail = 1200

// logIn starts a session. A wrong address and a wrong password look the same
// and take the same time. The attempt is taken before anything is hashed, so
// that many at one moment are counted too. The log names accounts that exist
// and never what was typed, which may be a password in the wrong field.
func (a *App) logIn(w http.ResponseWriter, r *http.Request) error {
	email, password := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("email")), maxTypedEmail)), r.PostFormValue("password")
	form := accountview.LoginForm{Email: site.Clip(email, 320), Next: r.FormValue("next")}
	u, err := a.byEmail(r, email)
	if err != nil {
		return err
	}
	attempt, wait := a.Tries.Take(a.signInLimits(r, email, u)...)
	if wait > 0 {
		form.Errors = part.Errors{"": site.TooMany(w, wait)}
		return a.loginPage(w, r, http.StatusTooManyRequests, form)
	}
	err = a.signIn(w, r, u, password)
	if errors.Is(err, db.ErrConflict) { // the password was changed, or renewed, at this moment
		if u, err = a.byEmail(r, email); err == nil {
			err = a.signIn(w, r, u, password)
		}
	}
	switch {
	case errors.Is(err, errWrongPassword), errors.Is(err, db.ErrConflict):
		a.Log.Warn("a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100), "address", a.Address(r))
		form.Errors = part.Errors{"": "The e-mail address or the password is not right."}
		return a.loginPage(w, r, http.StatusUnprocessableEntity, form)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return web.SeeOther(w, r, site.Local(form.Next))
}

// byEmail is the account with the e-mail address, the zero User if there is
// none.
func (a *App) byEmail(r *http.Request, email string) (db.User, error) {
	u, err := a.Store.UserByEmail(r.Context(), email)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return u, err
}

var errWrongPassword = errors.New("wrong password")

// signIn starts a session if the password is right, and renews its hash if that
// is due. It is db.ErrConflict if the hash changed meanwhile.
func (a *App) signIn(w http.ResponseWriter, r *http.Request, u db.User, password string) error {
	ok, renew := db.MatchPassword(u.Password, password)
	if !ok {
		return errWrongPassword
	}
	renewed := ""
	if renew {
		renewed = db.HashPassword(password)
	}
	return a.startSession(w, r, u, renewed)
}

// logOut ends the session in the database too, so that a copied cookie is
// worth nothing, and lets the browser forget the pictures and videos that it
// has kept.
func (a *App) logOut(w http.ResponseWriter, r *http.Request) error {
	v, err := a.Viewer(r)
	if err == nil {
		err = a.Store.EndSession(r.Context(), v.User.ID, v.Session.ID)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := a.Cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache"`)
	return web.SeeOther(w, r, "/login")
}

func (a *App) loginPage(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	f, err := a.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = a.Cookies.Take(w, r, "flash") // of somebody who has just set a new password
	}
	if err != nil {
		return err
	}
	page := accountview.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}
