package handlers

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// showReset is the page behind a link that sets a new password.
func (a *App) showReset(w http.ResponseWriter, r *http.Request) error {
	attempt, wait := a.Tries.Take(a.FromAddress(r, "reset"))
	if wait > 0 {
		return site.RefusedFor(w, wait)
	}
	u, err := a.resetOf(r)
	if err != nil {
		return err
	}
	if u.ID == 0 {
		return a.resetPage(w, r, http.StatusNotFound, u, nil)
	}
	attempt.GiveBack()
	return a.resetPage(w, r, http.StatusOK, u, nil)
}

// resetPassword sets the new password and ends all sessions of the person, who
// then signs in with it.
func (a *App) resetPassword(w http.ResponseWriter, r *http.Request) error {
	attempt, wait := a.Tries.Take(a.FromAddress(r, "reset"))
	if wait > 0 {
		return site.RefusedFor(w, wait)
	}
	u, err := a.resetOf(r)
	if err != nil {
		return err
	}
	if u.ID == 0 {
		return a.resetPage(w, r, http.StatusNotFound, u, nil)
	}
	attempt.GiveBack()
	password := r.PostFormValue("password")
	if sentence := passwordSentence(password, u); sentence != "" {
		return a.resetPage(w, r, http.StatusUnprocessableEntity, u, part.Errors{"password": sentence})
	}
	err = a.Store.UseReset(r.Context(), db.HashToken(r.PathValue("token")), db.HashPassword(password), db.Now())
	if errors.Is(err, db.ErrNotFound) { // used at this moment
		return a.resetPage(w, r, http.StatusNotFound, db.User{}, nil)
	}
	if err != nil {
		return err
	}
	a.Log.Info("a password was set with a link", "user", u.ID, "address", a.Address(r))
	if err := a.Cookies.Remember(w, r, u.ID); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "flash", "Your new password is set, and every browser is signed out. Please sign in with it."); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// resetOf is the person whom the link of the address belongs to, the zero User
// if it cannot be used.
func (a *App) resetOf(r *http.Request) (db.User, error) {
	u, err := a.Store.Reset(r.Context(), db.HashToken(r.PathValue("token")), db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return db.User{}, nil
	}
	return u, err
}

func (a *App) resetPage(w http.ResponseWriter, r *http.Request, status int, u db.User, errs part.Errors) error {
	f, err := a.Frame(w, r, "New password")
	if err != nil {
		return err
	}
	page := accountview.Reset(f, accountview.ResetForm{Action: "/reset/" + r.PathValue("token"), Email: u.Email, Errors: errs})
	return web.PageStatus(w, r, status, page, page)
}
