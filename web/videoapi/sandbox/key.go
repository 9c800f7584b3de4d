package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// ErrUnknownKey says that no account has the key, or has it no longer.
var ErrUnknownKey = errors.New("sandbox: unknown key")

// A Key is what is known of an API key. Its last use is kept to the minute.
type Key = videoapi.Key

// AddKey returns another key for the account of the given one. The error is
// ErrUnknownKey where there is no such account.
func (s *Sandbox) AddKey(ctx context.Context, key, name string) (string, error) {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return "", err
	}
	return s.addKey(ctx, account, name)
}

func (s *Sandbox) addKey(ctx context.Context, account, name string) (string, error) {
	key := newKey()
	err := s.db.Write(ctx, func(tx *sql.Tx) error { return addKey(ctx, tx, account, key, name) })
	if err != nil {
		return "", err
	}
	return key, nil
}

func addKey(ctx context.Context, tx *sql.Tx, account, key, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO api_key (hash, account_id, name, tail, created_at) VALUES (?, ?, ?, ?, ?)`,
		hashOf(key), account, name, key[len(key)-4:], db.Now().UnixMilli())
	if err != nil {
		return fmt.Errorf("sandbox: add key: %w", err)
	}
	return nil
}

// Keys lists the keys of the account of the given one, newest first, revoked
// ones too. The error is ErrUnknownKey where there is no such account.
func (s *Sandbox) Keys(ctx context.Context, key string) ([]Key, error) {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return nil, err
	}
	return s.keys(ctx, account)
}

func (s *Sandbox) keys(ctx context.Context, account string) ([]Key, error) {
	rows, err := s.db.Reads.QueryContext(ctx, `
		SELECT id, name, tail, created_at, used_at, revoked_at FROM api_key WHERE account_id = ? ORDER BY id DESC`, account)
	if err != nil {
		return nil, fmt.Errorf("sandbox: keys: %w", err)
	}
	defer rows.Close()
	var list []Key
	for rows.Next() {
		var k Key
		if err := rows.Scan(&k.ID, &k.Name, &k.Tail, stamp{&k.CreatedAt}, stamp{&k.UsedAt}, stamp{&k.RevokedAt}); err != nil {
			return nil, fmt.Errorf("sandbox: keys: %w", err)
		}
		list = append(list, k)
	}
	return list, rows.Err()
}

// revokeKey ends the account's key with the ID. It is ErrUnknownKey where the
// account has no such key.
func (s *Sandbox) revokeKey(ctx context.Context, account string, id int64) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `
			UPDATE api_key SET revoked_at = iif(revoked_at = 0, ?, revoked_at) WHERE id = ? AND account_id = ?
			RETURNING id`, db.Now().UnixMilli(), id, account).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrUnknownKey
		}
		if err != nil {
			return fmt.Errorf("sandbox: revoke key: %w", err)
		}
		return nil
	})
}

// HasKeys reports whether any key was ever made.
func (s *Sandbox) HasKeys(ctx context.Context) (bool, error) {
	var has bool
	if err := s.db.Reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM api_key)`).Scan(&has); err != nil {
		return false, fmt.Errorf("sandbox: keys: %w", err)
	}
	return has, nil
}

// useKey returns the account of a call's key. It remembers when the key was used,
// to the minute, so that not every call writes.
func (s *Sandbox) useKey(ctx context.Context, key string) (string, error) {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return "", err
	}
	var stale bool
	at := db.Now()
	err = s.db.Reads.QueryRowContext(ctx, `SELECT used_at <= ? FROM api_key WHERE hash = ?`, at.Add(-time.Minute).UnixMilli(), hashOf(key)).Scan(&stale)
	if err != nil || !stale {
		return account, err
	}
	return account, s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE api_key SET used_at = ? WHERE hash = ?`, at.UnixMilli(), hashOf(key))
		return err
	})
}

// newKey has 160 random bits: rand.Text gives 26 letters and digits of 5.
func newKey() string { return "sk-" + (rand.Text() + rand.Text())[:32] }

func hashOf(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
