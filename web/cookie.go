package web

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"net/http"

	"github.com/gorilla/sessions"

	"dailies/db"
)

// cookieName carries no __Host- prefix because Dailies also runs on plain http
// inside a house.
const cookieName = "dailies"

// Cookies keeps a session's token, and one sentence for the next page, in a
// signed and encrypted cookie.
type Cookies struct{ store *sessions.CookieStore }

// NewCookies derives its keys from the program's secret. Secure says that
// people reach the program by https.
func NewCookies(secret []byte, secure bool) (*Cookies, error) {
	keys, err := hkdf.Key(sha256.New, secret, nil, "dailies cookie", 64)
	if err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	store := sessions.NewCookieStore(keys[:32], keys[32:])
	store.Options = &sessions.Options{Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
	store.MaxAge(int(db.SessionLife.Seconds()))
	return &Cookies{store}, nil
}

// Token is the session token that the browser brought, or empty.
func (c *Cookies) Token(r *http.Request) string {
	token, _ := c.get(r).Values["token"].(string)
	return token
}

// SetToken gives the browser a session token; an empty one signs it out.
func (c *Cookies) SetToken(w http.ResponseWriter, r *http.Request, token string) error {
	s := c.get(r)
	if token == "" {
		delete(s.Values, "token")
	} else {
		s.Values["token"] = token
	}
	return c.save(w, r, s)
}

// Leave keeps a short text under a name for the next page that this browser
// is shown: a sentence about what was done, or a link that is shown once.
func (c *Cookies) Leave(w http.ResponseWriter, r *http.Request, name, text string) error {
	s := c.get(r)
	s.Values[name] = text
	return c.save(w, r, s)
}

// Take returns the text that was left, once.
func (c *Cookies) Take(w http.ResponseWriter, r *http.Request, name string) (string, error) {
	s := c.get(r)
	text, ok := s.Values[name].(string)
	if !ok {
		return "", nil
	}
	delete(s.Values, name)
	return text, c.save(w, r, s)
}

// get never fails: a cookie that cannot be read is as good as none.
func (c *Cookies) get(r *http.Request) *sessions.Session {
	s, _ := c.store.Get(r, cookieName)
	return s
}

// save replaces what an earlier save of this answer set, because a browser
// that is given one cookie twice keeps only one of them.
func (c *Cookies) save(w http.ResponseWriter, r *http.Request, s *sessions.Session) error {
	w.Header().Del("Set-Cookie")
	if err := s.Save(r, w); err != nil {
		return fmt.Errorf("cookie: %w", err)
	}
	return nil
}
