package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web/videoapi"
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
		return []any{&k.ID, &k.Name, &k.Tail, (*engine.Instant)(&k.CreatedAt), (*engine.Instant)(&k.UsedAt),
			(*engine.Instant)(&k.RevokedAt)}
	}
	return engine.ReadAll(ctx, a.db.Reads, "sandbox: keys", engine.ScanFields(fields), `
		SELECT id, name, tail, created_at, nullif(used_at, 0), nullif(revoked_at, 0) FROM api_key WHERE account_id = ? ORDER BY id DESC`,
		account)
}

// HasKeys reports whether any key was ever created.
func (a *accounts) HasKeys(ctx context.Context) (bool, error) {
	return engine.ReadValue[bool](ctx, a.db.Reads, "sandbox: keys", `SELECT EXISTS (SELECT 1 FROM api_key)`)
}

// revokeKey revokes the account's key with the id. The error is ErrUnknownKey if
// the account has no such key.
func (a *accounts) revokeKey(ctx context.Context, account string, id int64) error {
	return engine.About("revoke key", a.db.ExecOr(ctx, ErrUnknownKey, `
		UPDATE api_key SET revoked_at = iif(revoked_at = 0, ?, revoked_at) WHERE id = ? AND account_id = ?`, engine.Instant(db.Now()), id,
		account))
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
	known := look.Row(`SELECT account_id, nullif(used_at, 0) FROM api_key WHERE hash = ? AND revoked_at = 0`,
		hashOf(key)).Find(&account, (*engine.Instant)(&used))
	look.Require(known, ErrUnknownKey)
	return account, used, look.Err()
}

// newKey returns a key with 160 random bits: each of the 32 characters has 5.
func newKey() string { return "sk-" + (rand.Text() + rand.Text())[:32] }

func hashOf(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

// An amount is a number of credits in thousandths, so that sums are exact.
type amount int64

const credit amount = 1000

// maxCredits bounds one top-up, so that sums stay far below the limit of int64.
const maxCredits = 1e9

// amountOf converts a number of credits, rounded to the nearest thousandth.
func amountOf(credits float64) (amount, error) {
	if math.IsNaN(credits) || credits < 0 || credits > maxCredits {
		return 0, fmt.Errorf("sandbox: %v is no number of credits from 0 to %d", credits, int(maxCredits))
	}
	return amount(math.Round(credits * float64(credit))), nil
}

func (a amount) credits() float64 { return float64(a) / float64(credit) }

// String returns the number of credits in digits, without needless zeros.
func (a amount) String() string { return strconv.FormatFloat(a.credits(), 'f', -1, 64) }

// An Entry describes one change of an account's balance.
type Entry = videoapi.Entry

// The reasons for which a balance changes.
const (
	Deducted = videoapi.Deducted
	Refunded = videoapi.Refunded
	ToppedUp = videoapi.ToppedUp
)

// maxEntries bounds the number of ledger entries that are shown.
const maxEntries = 200

// Ledger lists the latest 200 changes of the balance of the key's account, newest
// first. The error is ErrUnknownKey if there is no such account.
func (a *accounts) Ledger(ctx context.Context, key string) ([]Entry, error) {
	return byKey(ctx, a, key, a.ledger)
}

func (a *accounts) ledger(ctx context.Context, account string) ([]Entry, error) {
	fields := func(e *Entry) []any {
		return []any{&e.ID, &e.Kind, &e.TaskID, &e.Credits, &e.Balance, (*engine.Instant)(&e.At)}
	}
	return engine.ReadAll(ctx, a.db.Reads, "sandbox: ledger", engine.ScanFields(fields), `
		SELECT id, kind, coalesce(task_id, ''), amount / 1000.0, balance / 1000.0, at
		FROM ledger WHERE account_id = ? ORDER BY id DESC LIMIT ? + 0`, account, maxEntries)
}

// TopUp adds credits to the account of the key. The error is ErrUnknownKey if
// there is no such account.
func (a *accounts) TopUp(ctx context.Context, key string, credits float64) error {
	account, _, err := a.keyOf(ctx, key)
	if err != nil {
		return err
	}
	return a.topUp(ctx, account, credits)
}

func (a *accounts) topUp(ctx context.Context, account string, credits float64) error {
	more, err := amountOf(credits)
	if err != nil {
		return err
	}
	return a.db.Write(ctx, func(tx *engine.Tx) { book(tx, account, "", ToppedUp, more) })
}

// Balance returns the credits of the account of the key. The error is
// ErrUnknownKey if there is no such account.
func (a *accounts) Balance(ctx context.Context, key string) (float64, error) {
	balance, err := byKey(ctx, a, key, func(ctx context.Context, account string) (amount, error) {
		return engine.ReadValue[amount](ctx, a.db.Reads, "sandbox: balance", selectBalance, account)
	})
	return balance.credits(), err
}

const selectBalance = `SELECT balance FROM account WHERE id = ?`

// book changes an account's balance and records the reason in the ledger. It
// refuses to let the balance fall below zero. The schema allows one deduction and
// one refund per task.
func book(tx *engine.Tx, account, task string, kind videoapi.EntryKind, change amount) {
	tx = tx.About("ledger")
	var after amount
	enough := tx.Row(`
		UPDATE account SET balance = balance + ?1 WHERE id = ?2 AND balance + ?1 >= 0
		RETURNING balance`, change, account).Find(&after)
	if tx.OK() && !enough {
		has := engine.Value[amount](tx, selectBalance, account)
		tx.Check(refuse("Insufficient credits, %v < %v", has, -change))
	}
	tx.Exec(`
		INSERT INTO ledger (account_id, task_id, kind, amount, balance, at) VALUES (?, nullif(?, ''), ?, ?, ?, ?)`,
		account, task, kind, change, after, engine.Instant(db.Now()))
}
