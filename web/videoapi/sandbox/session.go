package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/web"
)

// sessionLife is how long a sign-in to the console holds.
const sessionLife = 30 * 24 * time.Hour

// cookieName differs from the app's: browsers share cookies between the ports
// of a host.
const cookieName = "sandbox"

// openCookies makes the console's cookies, with keys that outlive a restart.
func (s *Sandbox) openCookies(ctx context.Context) (*web.Cookies, error) {
	secret := []byte(rand.Text())
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO setting (name, value) VALUES ('cookies', ?) ON CONFLICT DO NOTHING`, secret); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM setting WHERE name = 'cookies'`).Scan(&secret)
	})
	if err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	return web.NewNamedCookies(cookieName, secret, false)
}

// A Welcome is what can be shown only once: the first key, and the console's
// password if none was configured. Each is empty where it was shown before.
type Welcome struct{ Key, Password string }

// firstCredits are the credits of a new first account.
const firstCredits = 1000

// Welcome makes the first account and the console's password where they are
// missing.
func (s *Sandbox) Welcome(ctx context.Context) (w Welcome, err error) {
	has, err := s.HasKeys(ctx)
	if err == nil && !has {
		w.Key, err = s.NewKey(ctx, "first", firstCredits)
	}
	if err != nil || s.console == nil || s.password != "" {
		return w, err
	}
	if _, err = s.passwordHash(ctx); !errors.Is(err, sql.ErrNoRows) {
		return w, err
	}
	w.Password = rand.Text()[:16]
	return w, s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO setting (name, value) VALUES ('password', ?)`, hashOf(w.Password))
		return err
	})
}

// passwordHash is SHA-256: what is kept of it was made at random, and is too
// long to be guessed. The error is sql.ErrNoRows where there is none yet.
func (s *Sandbox) passwordHash(ctx context.Context) (hash []byte, err error) {
	if s.password != "" {
		return hashOf(s.password), nil
	}
	err = s.db.Reads.QueryRowContext(ctx, `SELECT value FROM setting WHERE name = 'password'`).Scan(&hash)
	if err != nil {
		return nil, fmt.Errorf("console password: %w", err)
	}
	return hash, nil
}

var errWrongPassword = errors.New("wrong password")

// signIn opens a session with the first account. The error is errWrongPassword
// where the person is to be told.
func (s *Sandbox) signIn(ctx context.Context, password string) (token string, err error) {
	want, err := s.passwordHash(ctx)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	if subtle.ConstantTimeCompare(hashOf(password), want) != 1 {
		return "", errWrongPassword
	}
	all, err := s.accounts(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", errors.New("there is no account yet")
	}
	token = rand.Text()
	return token, s.db.Write(ctx, func(tx *sql.Tx) error {
		at := db.Now()
		if _, err := tx.ExecContext(ctx, `DELETE FROM session WHERE expires_at <= ?`, at.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO session (token, account_id, opened_by, expires_at) VALUES (?, ?, ?, ?)`,
			hashOf(token), all[0].ID, openedBy(token, want), at.Add(sessionLife).UnixMilli())
		return err
	})
}

// openedBy ties a session to the password that opened it. With the token in
// it, it says nothing about the password to those who read the database.
func openedBy(token string, password []byte) []byte {
	h := sha256.Sum256(append([]byte(token), password...))
	return h[:]
}

// sessionAccount returns the account that a request's session works with, or
// errNoAuth.
//
// API.md: "Logged-in session authentication is also accepted, for calls from
// the service's own site."
func (s *Sandbox) sessionAccount(r *http.Request) (string, error) {
	if s.console == nil || s.console.origin.Check(r) != nil {
		return "", errNoAuth
	}
	token := s.console.cookies.Token(r)
	var account string
	var by []byte
	err := s.db.Reads.QueryRowContext(r.Context(), `SELECT account_id, opened_by FROM session WHERE token = ? AND expires_at > ?`,
		hashOf(token), db.Now().UnixMilli()).Scan(&account, &by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", errNoAuth
	}
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
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

// signOut ends the request's session.
func (s *Sandbox) signOut(r *http.Request) error {
	return s.changeSession(r.Context(), `DELETE FROM session WHERE token = ?`, hashOf(s.console.cookies.Token(r)))
}

// switchAccount lets the request's session work with another account.
func (s *Sandbox) switchAccount(r *http.Request, account string) error {
	return s.changeSession(r.Context(), `UPDATE session SET account_id = ? WHERE token = ? AND ?1 IN (SELECT id FROM account)`, account, hashOf(s.console.cookies.Token(r)))
}

func (s *Sandbox) changeSession(ctx context.Context, query string, args ...any) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("session: %w", err)
		}
		return nil
	})
}
