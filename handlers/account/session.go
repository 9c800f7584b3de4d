package account

import (
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
)

// start signs the browser in to the account with a new token, so that a
// token that somebody planted before is worth nothing. It is db.ErrConflict if
// the password was changed since it was checked. Renewed is another hash of the
// same password to be kept from now on, or empty.
func (s *SignIn) start(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	token := db.NewToken()
	session := db.NewSession(u.ID, db.HashToken(token), site.Clip(r.UserAgent(), 300), db.Now())
	session.ForHost = s.site.Cookies.ForHost()
	if err := s.site.Store.SignIn(r.Context(), &session, u.Password, renewed); err != nil {
		return err
	}
	if err := s.site.Cookies.Remember(w, r, u.ID); err != nil {
		return err
	}
	if err := s.site.Cookies.Leave(w, r, "account", strconv.FormatInt(u.ID, 10)); err != nil {
		return err
	}
	return s.site.Cookies.SetToken(w, r, token)
}
