package sandbox

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web/videoapi"
)

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
