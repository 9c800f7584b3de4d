package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
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
	return key, a.db.Write(ctx, func(tx *engine.Tx) { insertKey(tx, account, key, name) })
}

func insertKey(tx *engine.Tx, account, key, name string) {
	tx.About("sandbox: add key").Exec(`INSERT INTO api_key (hash, account_id, name, tail, created_at) VALUES (?, ?, ?, ?, ?)`,
		hashOf(key), account, name, key[len(key)-4:], engine.Instant(db.Now()))
}

// Keys lists the keys of the account of the given key, newest first, including
// revoked ones. The error is ErrUnknownKey if there is no such account.
func (a *accounts) Keys(ctx context.Context, key string) ([]Key, error) {
	return byKey(ctx, a, key, a.keys)
}

func (a *accounts) keys(ctx context.Context, account string) ([]Key, error) {
	fields := func(k *Key) []any {
		return []any{&k.ID, &k.Name, &k.Tail, (*engine.Instant)(&k.CreatedAt), (*engine.Instant)(&k.UsedAt), (*engine.Instant)(&k.RevokedAt)}
	}
	return engine.ReadAll(ctx, a.db.Reads, "sandbox: keys", engine.ScanFields(fields), `
		SELECT id, name, tail, created_at, nullif(used_at, 0), nullif(revoked_at, 0) FROM api_key WHERE account_id = ? ORDER BY id DESC`, account)
}

// HasKeys reports whether any key was ever created.
func (a *accounts) HasKeys(ctx context.Context) (bool, error) {
	return engine.ReadValue[bool](ctx, a.db.Reads, "sandbox: keys", `SELECT EXISTS (SELECT 1 FROM api_key)`)
}

// revokeKey revokes the account's key with the id. The error is ErrUnknownKey if
// the account has no such key.
func (a *accounts) revokeKey(ctx context.Context, account string, id int64) error {
	return engine.About("revoke key", a.db.ExecOr(ctx, ErrUnknownKey, `
		UPDATE api_key SET revoked_at = iif(revoked_at = 0, ?, revoked_at) WHERE id = ? AND account_id = ?`, engine.Instant(db.Now()), id, account))
}

// useKey returns the account that has the key, and stores when the key was used.
// It does so only to the minute, so that not every call writes.
func (a *accounts) useKey(ctx context.Context, key string) (account string, err error) {
	account, used, err := a.keyOf(ctx, key)
	if err != nil || db.Now().Sub(used) < time.Minute {
		return account, err
	}
	_, err = a.db.Exec(ctx, `UPDATE api_key SET used_at = ? WHERE hash = ?`, engine.Instant(db.Now()), hashOf(key))
	return account, err
}

// keyOf returns the account that has the key, and when the key was last used. The
// error is ErrUnknownKey if no account has it.
func (a *accounts) keyOf(ctx context.Context, key string) (account string, used time.Time, err error) {
	look := a.db.Reading(ctx).About("key")
	known := look.Row(`SELECT account_id, nullif(used_at, 0) FROM api_key WHERE hash = ? AND revoked_at = 0`, hashOf(key)).Find(&account, (*engine.Instant)(&used))
	look.Require(known, ErrUnknownKey)
	return account, used, look.Err()
}

// newKey returns a key with 160 random bits: each of the 32 characters has 5.
func newKey() string { return "sk-" + (rand.Text() + rand.Text())[:32] }

func hashOf(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
