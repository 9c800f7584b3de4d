package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web"
)

// sessionLife is how long a session of the console is valid.
const sessionLife = 30 * 24 * time.Hour

// cookieName differs from the app's cookie, because browsers share cookies
// between the ports of a host.
const cookieName = "sandbox"

// sessions stores the console's password and its sessions. Each session works
// with one account.
type sessions struct {
	db       *engine.DB
	password string // as configured; empty selects the one that Welcome created
	cookies  *web.Cookies
	origin   *http.CrossOriginProtection
}

// openSessions loads the key of the cookies from the database; the first start
// creates it.
func openSessions(ctx context.Context, d *engine.DB, password string) (*sessions, error) {
	s := &sessions{db: d, password: password, origin: http.NewCrossOriginProtection()}
	_, err := d.Exec(ctx, `INSERT INTO setting (name, value) VALUES ('cookies', ?) ON CONFLICT DO NOTHING`, []byte(rand.Text()))
	if err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	secret, err := s.setting(ctx, "cookies")
	if err == nil {
		s.cookies, err = web.NewNamedCookies(cookieName, secret, false)
	}
	return s, err
}

func (s *sessions) setting(ctx context.Context, name string) ([]byte, error) {
	return engine.ReadValue[[]byte](ctx, s.db.Reads, "console's "+name, `SELECT value FROM setting WHERE name = ?`, name)
}

// A Welcome holds what is shown only once: the first key, and the console's
// password if none is configured. Each is empty if it was shown before.
type Welcome struct{ Key, Password string }

// firstCredits are the credits of a new account.
const firstCredits = 1000

// Welcome makes the first account and the console's password if they do not
// exist.
func (s *Sandbox) Welcome(ctx context.Context) (w Welcome, err error) {
	has, err := s.HasKeys(ctx)
	if err == nil && !has {
		w.Key, err = s.NewKey(ctx, "first", firstCredits)
	}
	if err != nil || s.sessions == nil || s.sessions.password != "" {
		return w, err
	}
	if _, err = s.sessions.passwordHash(ctx); !errors.Is(err, db.ErrNotFound) {
		return w, err
	}
	w.Password = rand.Text()[:16]
	_, err = s.db.Exec(ctx, `INSERT INTO setting (name, value) VALUES ('password', ?)`, hashOf(w.Password))
	return w, err
}

// passwordHash returns the password's SHA-256. A slow hash is not needed: the
// password that is stored is random, and too long to be guessed. The error is
// db.ErrNotFound if there is no password yet.
func (s *sessions) passwordHash(ctx context.Context) ([]byte, error) {
	if s.password != "" {
		return hashOf(s.password), nil
	}
	return s.setting(ctx, "password")
}

var errWrongPassword = errors.New("wrong password")

// open starts a session with the account and returns its token. The error is
// errWrongPassword if the password is not the console's.
func (s *sessions) open(ctx context.Context, password, account string) (token string, err error) {
	want, err := s.passwordHash(ctx)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", err
	}
	if subtle.ConstantTimeCompare(hashOf(password), want) != 1 {
		return "", errWrongPassword
	}
	token = rand.Text()
	return token, s.db.Write(ctx, func(tx *engine.Tx) {
		at := db.Now()
		tx.Exec(`DELETE FROM session WHERE expires_at <= ?`, engine.Instant(at))
		tx.Exec(`INSERT INTO session (token, account_id, opened_by, expires_at) VALUES (?, ?, ?, ?)`,
			hashOf(token), account, openedBy(token, want), engine.Instant(at.Add(sessionLife)))
	})
}

// openedBy returns a hash that ties a session to the password that opened it. It
// includes the token, of which the database holds only a hash, so that a reader
// of the database cannot guess the password from it.
func openedBy(token string, password []byte) []byte {
	h := sha256.Sum256(append([]byte(token), password...))
	return h[:]
}

// account returns the account with which a request's session works, or errNoAuth.
//
// API.md: "Logged-in session authentication is also accepted, for calls from
// the service's own site."
func (s *sessions) account(r *http.Request) (account string, err error) {
	if s == nil || s.origin.Check(r) != nil {
		return "", errNoAuth
	}
	token := s.cookies.Token(r)
	var by []byte
	look := s.db.Reading(r.Context()).About("session")
	found := look.Row(`SELECT account_id, opened_by FROM session WHERE token = ? AND expires_at > ?`,
		hashOf(token), engine.Instant(db.Now())).Find(&account, &by)
	look.Require(found, errNoAuth)
	if look.Err() != nil {
		return "", look.Err()
	}
	password, err := s.passwordHash(r.Context())
	if err != nil {
		return "", err
	}
	if subtle.ConstantTimeCompare(by, openedBy(token, password)) != 1 {
		return "", errNoAuth
	}
	return account, nil
}

// end ends the request's session.
func (s *sessions) end(r *http.Request) error {
	_, err := s.db.Exec(r.Context(), `DELETE FROM session WHERE token = ?`, hashOf(s.cookies.Token(r)))
	return err
}

// choose switches the request's session to another account, if that exists.
func (s *sessions) choose(r *http.Request, account string) error {
	_, err := s.db.Exec(r.Context(), `UPDATE session SET account_id = ? WHERE token = ? AND ?1 IN (SELECT id FROM account)`,
		account, hashOf(s.cookies.Token(r)))
	return err
}
