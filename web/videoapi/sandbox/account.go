package sandbox

import (
	"context"
	"crypto/rand"

	"dailies/db"
	"dailies/db/store/engine"
)

// accounts stores the accounts, their keys, and the ledgers of their credits.
// Callers outside this package name an account by any of its keys; the console
// uses its ID.
type accounts struct{ db *engine.DB }

// An account has credits, and keys with which tasks are made.
type account struct {
	ID      string
	Name    string // name of its first key
	Balance amount
}

// NewKey opens an account with the credits and returns its first key: "sk-" and
// 32 letters and digits. Only the key's SHA-256 is stored, so the key cannot be
// shown again.
func (a *accounts) NewKey(ctx context.Context, name string, credits float64) (string, error) {
	_, key, err := a.open(ctx, name, credits)
	return key, err
}

// open opens an account with the credits and makes its first key.
func (a *accounts) open(ctx context.Context, name string, credits float64) (id, key string, err error) {
	start, err := amountOf(credits)
	if err != nil {
		return "", "", err
	}
	id, key = rand.Text(), newKey()
	err = a.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`INSERT INTO account (id, created_at) VALUES (?, ?)`, id, engine.Instant(db.Now()))
		insertKey(tx, id, key, name)
		book(tx, id, "", ToppedUp, start)
	})
	return id, key, engine.About("sandbox: new key", err)
}

// all returns every account, the oldest first.
func (a *accounts) all(ctx context.Context) ([]account, error) {
	fields := func(one *account) []any { return []any{&one.ID, &one.Balance, &one.Name} }
	return engine.ReadAll(ctx, a.db.Reads, "sandbox: accounts", engine.ScanFields(fields), `
		SELECT a.id, a.balance, coalesce((SELECT k.name FROM api_key k WHERE k.account_id = a.id ORDER BY k.id LIMIT 1), '')
		FROM account a ORDER BY a.created_at, a.rowid`)
}

// byKey calls do with the id of the account that has the key. The error is
// ErrUnknownKey if no account has it.
func byKey[T any](ctx context.Context, a *accounts, key string, do func(ctx context.Context, account string) (T, error)) (T, error) {
	account, _, err := a.keyOf(ctx, key)
	if err != nil {
		var none T
		return none, err
	}
	return do(ctx, account)
}
