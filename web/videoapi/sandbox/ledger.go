package sandbox

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"

	"dailies/db"
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
	columns := func(e *Entry) []any { return []any{&e.ID, &e.Kind, &e.TaskID, &e.Credits, &e.Balance, stamp{&e.At}} }
	return list(ctx, a.db, "ledger", columns, `
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
	return a.db.Write(ctx, func(tx *sql.Tx) error { return book(ctx, tx, account, "", ToppedUp, more) })
}

// Balance returns the credits of the account of the key. The error is
// ErrUnknownKey if there is no such account.
func (a *accounts) Balance(ctx context.Context, key string) (float64, error) {
	balance, err := byKey(ctx, a, key, func(ctx context.Context, account string) (amount, error) { return balanceOf(ctx, a.db.Reads, account) })
	return balance.credits(), err
}

func balanceOf(ctx context.Context, q querier, account string) (balance amount, err error) {
	if err := q.QueryRowContext(ctx, `SELECT balance FROM account WHERE id = ?`, account).Scan(&balance); err != nil {
		return 0, fmt.Errorf("balance: %w", err)
	}
	return balance, nil
}

// book changes an account's balance and records the reason in the ledger. It
// refuses to let the balance fall below zero. The schema allows one deduction and
// one refund per task.
func book(ctx context.Context, tx *sql.Tx, account, task string, kind videoapi.EntryKind, change amount) error {
	var after amount
	err := tx.QueryRowContext(ctx, `
		UPDATE account SET balance = balance + ?1 WHERE id = ?2 AND balance + ?1 >= 0
		RETURNING balance`, change, account).Scan(&after)
	if errors.Is(err, sql.ErrNoRows) {
		has, err := balanceOf(ctx, tx, account)
		return cmp.Or(err, refuse("Insufficient credits, %v < %v", has, -change))
	}
	if err != nil {
		return fmt.Errorf("balance: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO ledger (account_id, task_id, kind, amount, balance, at) VALUES (?, nullif(?, ''), ?, ?, ?, ?)`,
		account, task, kind, change, after, db.Now().UnixMilli())
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}
