package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"

	"dailies/db"
	"dailies/web/videoapi"
)

// An amount is thousandths of a credit: money is counted, not measured.
type amount int64

const credit amount = 1000

// maxCredits is for one go; it keeps sums far from the end of int64.
const maxCredits = 1e9

// amountOf returns a number of credits to the nearest thousandth.
func amountOf(credits float64) (amount, error) {
	if math.IsNaN(credits) || credits < 0 || credits > maxCredits {
		return 0, fmt.Errorf("sandbox: %v is no number of credits from 0 to %d", credits, int(maxCredits))
	}
	return amount(math.Round(credits * float64(credit))), nil
}

func (a amount) credits() float64 { return float64(a) / float64(credit) }

// String returns the number of credits in digits, without needless zeros.
func (a amount) String() string { return strconv.FormatFloat(a.credits(), 'f', -1, 64) }

// An Entry is one line of an account's ledger.
type Entry = videoapi.Entry

// The reasons for which a balance changes.
const (
	Deducted = videoapi.Deducted
	Refunded = videoapi.Refunded
	ToppedUp = videoapi.ToppedUp
)

// entries is how many lines of a ledger are shown.
const entries = 200

// Ledger lists the newest 200 changes of the balance of the key's account, newest
// first. The error is ErrUnknownKey where there is no such key.
func (s *Sandbox) Ledger(ctx context.Context, key string) ([]Entry, error) {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return nil, err
	}
	return s.ledger(ctx, account)
}

func (s *Sandbox) ledger(ctx context.Context, account string) ([]Entry, error) {
	rows, err := s.db.Reads.QueryContext(ctx, `
		SELECT id, kind, coalesce(task_id, ''), amount, balance, at
		FROM ledger WHERE account_id = ? ORDER BY id DESC LIMIT ? + 0`, account, entries)
	if err != nil {
		return nil, fmt.Errorf("sandbox: ledger: %w", err)
	}
	defer rows.Close()
	var list []Entry
	for rows.Next() {
		var e Entry
		var change, after amount
		if err := rows.Scan(&e.ID, &e.Kind, &e.TaskID, &change, &after, stamp{&e.At}); err != nil {
			return nil, fmt.Errorf("sandbox: ledger: %w", err)
		}
		e.Credits, e.Balance = change.credits(), after.credits()
		list = append(list, e)
	}
	return list, rows.Err()
}

// errTooFew says that a balance would have gone below zero.
var errTooFew = errors.New("not enough credits")

// book changes an account's balance and writes the line that says why. The
// schema lets a task be deducted once and refunded once. The error is
// errTooFew, with nothing changed, where the balance would go below zero.
func book(ctx context.Context, tx *sql.Tx, account, task string, kind videoapi.EntryKind, change amount) error {
	var after amount
	err := tx.QueryRowContext(ctx, `
		UPDATE account SET balance = balance + ?1 WHERE id = ?2 AND balance + ?1 >= 0
		RETURNING balance`, change, account).Scan(&after)
	if errors.Is(err, sql.ErrNoRows) {
		return errTooFew
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

// balanceOf returns what an account has.
func balanceOf(ctx context.Context, q querier, account string) (amount, error) {
	var a amount
	err := q.QueryRowContext(ctx, `SELECT balance FROM account WHERE id = ?`, account).Scan(&a)
	if err != nil {
		return 0, fmt.Errorf("balance: %w", err)
	}
	return a, nil
}
