package handlers

import (
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
)

// startSession signs the browser in to the account with a new token, so that a
// token that somebody planted before is worth nothing. It is db.ErrConflict if
// the password was changed since it was checked. Renewed is another hash of the
// same password to be kept from now on, or empty.
func (a *App) startSession(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	token := db.NewToken()
	s := db.NewSession(u.ID, db.HashToken(token), site.Clip(r.UserAgent(), 300), db.Now())
	s.ForHost = a.Cookies.ForHost()
	if err := a.Store.SignIn(r.Context(), &s, u.Password, renewed); err != nil {
		return err
	}
	if err := a.Cookies.Remember(w, r, u.ID); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "account", strconv.FormatInt(u.ID, 10)); err != nil {
		return err
	}
	return a.Cookies.SetToken(w, r, token)
}
