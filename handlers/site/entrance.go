package site

import (
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/web"
)

// An entrance begins sessions.
type Entrance struct {
	Cookies  *web.Cookies
	Sessions *people.Sessions
}

func NewEntrance(s *Site) *Entrance {
	return &Entrance{Cookies: s.Cookies, Sessions: s.Store.Sessions}
}

// Start signs the browser in to the account with a new session token, so that a token
// that an attacker planted before is worthless. The error is db.ErrConflict if the
// password changed since it was checked. Renewed is a new hash of the same password to
// store, or empty.
func (e *Entrance) Start(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	return e.Begin(w, r, func(session *signin.Session) error {
		session.UserID = u.ID
		return e.Sessions.SignIn(r.Context(), session, u.Password, renewed)
	})
}

// Begin calls add to store a new session, and gives the browser its token.
func (e *Entrance) Begin(w http.ResponseWriter, r *http.Request, add func(*signin.Session) error) error {
	token := secrets.NewToken()
	session := signin.NewSession(0, secrets.HashToken(token), Clip(r.UserAgent(), 300), db.Now())
	session.ForHost = e.Cookies.ForHost()
	if err := add(&session); err != nil {
		return err
	}
	if err := e.Cookies.Remember(w, r, session.UserID); err != nil {
		return err
	}
	if err := e.Cookies.SetFlash(w, r, "account", strconv.FormatInt(session.UserID, 10)); err != nil {
		return err
	}
	return e.Cookies.SetToken(w, r, token)
}
