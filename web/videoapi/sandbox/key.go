package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
)

// ErrUnknownKey says that no account has the key.
var ErrUnknownKey = errors.New("sandbox: unknown key")

// NewKey opens an account with the credits and returns its first key, "sk-"
// and 32 letters and digits. The key is kept as its SHA-256 only, so this is
// the one time that it can be seen.
func (s *Sandbox) NewKey(ctx context.Context, name string, credits float64) (string, error) {
	start, err := amountOf(credits)
	if err != nil {
		return "", err
	}
	account, key := rand.Text(), newKey()
	err = s.db.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO account (id, created_at) VALUES (?, ?)`, account, now().UnixMilli()); err != nil {
			return err
		}
		if err := addKey(ctx, tx, account, key, name); err != nil {
			return err
		}
		return book(ctx, tx, account, "", ToppedUp, start)
	})
	if err != nil {
		return "", fmt.Errorf("sandbox: new key: %w", err)
	}
	return key, nil
}

// AddKey returns another key for the account of the given one. The error is
// ErrUnknownKey where there is no such account.
func (s *Sandbox) AddKey(ctx context.Context, key, name string) (string, error) {
	another := newKey()
	err := s.db.write(ctx, func(tx *sql.Tx) error {
		account, err := accountOf(ctx, tx, key)
		if err != nil {
			return err
		}
		return addKey(ctx, tx, account, another, name)
	})
	if err != nil {
		return "", err
	}
	return another, nil
}

// TopUp adds credits to the account of the key. The error is ErrUnknownKey
// where there is no such account.
func (s *Sandbox) TopUp(ctx context.Context, key string, credits float64) error {
	more, err := amountOf(credits)
	if err != nil {
		return err
	}
	return s.db.write(ctx, func(tx *sql.Tx) error {
		account, err := accountOf(ctx, tx, key)
		if err != nil {
			return err
		}
		return book(ctx, tx, account, "", ToppedUp, more)
	})
}

// Balance is the credits of the account of the key. The error is
// ErrUnknownKey where there is no such account.
func (s *Sandbox) Balance(ctx context.Context, key string) (float64, error) {
	account, err := accountOf(ctx, s.db.reader, key)
	if err != nil {
		return 0, err
	}
	a, err := balanceOf(ctx, s.db.reader, account)
	return a.credits(), err
}

// HasKeys reports whether any key was ever made.
func (s *Sandbox) HasKeys(ctx context.Context) (bool, error) {
	var has bool
	if err := s.db.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM api_key)`).Scan(&has); err != nil {
		return false, fmt.Errorf("sandbox: keys: %w", err)
	}
	return has, nil
}

// newKey has 160 random bits: rand.Text gives 26 letters and digits of 5.
func newKey() string { return "sk-" + (rand.Text() + rand.Text())[:32] }

func hashOf(key string) []byte {
	h := sha256.Sum256([]byte(key))
	return h[:]
}

func addKey(ctx context.Context, tx *sql.Tx, account, key, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO api_key (hash, account_id, name, created_at) VALUES (?, ?, ?, ?)`,
		hashOf(key), account, name, now().UnixMilli())
	if err != nil {
		return fmt.Errorf("sandbox: add key: %w", err)
	}
	return nil
}

// accountOf is the account that has the key, or ErrUnknownKey.
func accountOf(ctx context.Context, q querier, key string) (string, error) {
	var account string
	err := q.QueryRowContext(ctx, `SELECT account_id FROM api_key WHERE hash = ?`, hashOf(key)).Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrUnknownKey
	}
	if err != nil {
		return "", fmt.Errorf("sandbox: key: %w", err)
	}
	return account, nil
}
