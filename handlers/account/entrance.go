package account

import (
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
)

// An entrance begins sessions.
type entrance struct {
	cookies  *web.Cookies
	sessions *people.Sessions
}

func newEntrance(s *site.Site) *entrance {
	return &entrance{cookies: s.Cookies, sessions: s.Store.Sessions}
}

// start signs the browser in to the account with a new session token, so that a token
// that an attacker planted before is worthless. The error is db.ErrConflict if the
// password changed since it was checked. Renewed is a new hash of the same password to
// store, or empty.
func (e *entrance) start(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	return e.begin(w, r, func(session *signin.Session) error {
		session.UserID = u.ID
		return e.sessions.SignIn(r.Context(), session, u.Password, renewed)
	})
}

// begin calls add to store a new session, and gives the browser its token.
func (e *entrance) begin(w http.ResponseWriter, r *http.Request, add func(*signin.Session) error) error {
	token := secrets.NewToken()
	session := signin.NewSession(0, secrets.HashToken(token), site.Clip(r.UserAgent(), 300), db.Now())
	session.ForHost = e.cookies.ForHost()
	if err := add(&session); err != nil {
		return err
	}
	if err := e.cookies.Remember(w, r, session.UserID); err != nil {
		return err
	}
	if err := e.cookies.SetFlash(w, r, "account", strconv.FormatInt(session.UserID, 10)); err != nil {
		return err
	}
	return e.cookies.SetToken(w, r, token)
}
