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

// ErrUnknownKey says that no account has the key, or that it was revoked.
var ErrUnknownKey = errors.New("sandbox: unknown key")

// A Key describes an API key. Its last use is stored to the minute.
type Key = videoapi.Key

// AddKey creates another key for the account of the given key. The error is
// ErrUnknownKey if there is no such account.
func (a *accounts) AddKey(ctx context.Context, key, name string) (string, error) {
	return byKey(ctx, a, key, func(ctx context.Context, account string) (string, error) { return a.addKey(ctx, account, name) })
}

func (a *accounts) addKey(ctx context.Context, account, name string) (key string, err error) {
	key = newKey()
	return key, a.db.Write(ctx, func(tx *sql.Tx) error { return insertKey(ctx, tx, account, key, name) })
}

func insertKey(ctx context.Context, tx *sql.Tx, account, key, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO api_key (hash, account_id, name, tail, created_at) VALUES (?, ?, ?, ?, ?)`,
		hashOf(key), account, name, key[len(key)-4:], db.Now().UnixMilli())
	if err != nil {
		return fmt.Errorf("sandbox: add key: %w", err)
	}
	return nil
}

// Keys lists the keys of the account of the given key, newest first, including
// revoked ones. The error is ErrUnknownKey if there is no such account.
func (a *accounts) Keys(ctx context.Context, key string) ([]Key, error) {
	return byKey(ctx, a, key, a.keys)
}

func (a *accounts) keys(ctx context.Context, account string) ([]Key, error) {
	columns := func(k *Key) []any {
		return []any{&k.ID, &k.Name, &k.Tail, stamp{&k.CreatedAt}, stamp{&k.UsedAt}, stamp{&k.RevokedAt}}
	}
	return list(ctx, a.db, "keys", columns, `
		SELECT id, name, tail, created_at, used_at, revoked_at FROM api_key WHERE account_id = ? ORDER BY id DESC`, account)
}

// HasKeys reports whether any key was ever created.
func (a *accounts) HasKeys(ctx context.Context) (has bool, err error) {
	if err := a.db.Reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM api_key)`).Scan(&has); err != nil {
		return false, fmt.Errorf("sandbox: keys: %w", err)
	}
	return has, nil
}

// revokeKey revokes the account's key with the id. The error is ErrUnknownKey if
// the account has no such key.
func (a *accounts) revokeKey(ctx context.Context, account string, id int64) error {
	result, err := a.db.Writes.ExecContext(ctx, `
		UPDATE api_key SET revoked_at = iif(revoked_at = 0, ?, revoked_at) WHERE id = ? AND account_id = ?`, db.Now().UnixMilli(), id, account)
	if err != nil {
		return fmt.Errorf("sandbox: revoke key: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrUnknownKey, err)
	}
	return nil
}

// useKey returns the account that has the key, and stores when the key was used.
// It does so only to the minute, so that not every call writes.
func (a *accounts) useKey(ctx context.Context, key string) (account string, err error) {
	account, used, err := a.keyOf(ctx, key)
	if err != nil || db.Now().Sub(used) < time.Minute {
		return account, err
	}
	_, err = a.db.Writes.ExecContext(ctx, `UPDATE api_key SET used_at = ? WHERE hash = ?`, db.Now().UnixMilli(), hashOf(key))
	return account, err
}

// keyOf returns the account that has the key, and when the key was last used. The
// error is ErrUnknownKey if no account has it.
func (a *accounts) keyOf(ctx context.Context, key string) (account string, used time.Time, err error) {
	err = a.db.Reads.QueryRowContext(ctx, `SELECT account_id, used_at FROM api_key WHERE hash = ? AND revoked_at = 0`, hashOf(key)).Scan(&account, stamp{&used})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = ErrUnknownKey
	case err != nil:
		err = fmt.Errorf("sandbox: key: %w", err)
	}
	return account, used, err
}

// newKey returns a key with 160 random bits: each of the 32 characters has 5.
func newKey() string { return "sk-" + (rand.Text() + rand.Text())[:32] }

func hashOf(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
