package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"dailies/db"
)

// NewKey opens an account with the credits and returns its first key, "sk-"
// and 32 letters and digits. The key is kept as its SHA-256 only, so this is
// the one time that it can be seen.
func (s *Sandbox) NewKey(ctx context.Context, name string, credits float64) (string, error) {
	_, key, err := s.newAccount(ctx, name, credits)
	return key, err
}

// newAccount opens an account and makes its first key.
func (s *Sandbox) newAccount(ctx context.Context, name string, credits float64) (account, key string, err error) {
	start, err := amountOf(credits)
	if err != nil {
		return "", "", err
	}
	account, key = rand.Text(), newKey()
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO account (id, created_at) VALUES (?, ?)`, account, db.Now().UnixMilli()); err != nil {
			return err
		}
		if err := addKey(ctx, tx, account, key, name); err != nil {
			return err
		}
		return book(ctx, tx, account, "", ToppedUp, start)
	})
	if err != nil {
		return "", "", fmt.Errorf("sandbox: new key: %w", err)
	}
	return account, key, nil
}

// TopUp adds credits to the account of the key. The error is ErrUnknownKey
// where there is no such account.
func (s *Sandbox) TopUp(ctx context.Context, key string, credits float64) error {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return err
	}
	return s.topUp(ctx, account, credits)
}

func (s *Sandbox) topUp(ctx context.Context, account string, credits float64) error {
	more, err := amountOf(credits)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sql.Tx) error { return book(ctx, tx, account, "", ToppedUp, more) })
}

// Balance returns the credits of the account of the key. The error is
// ErrUnknownKey where there is no such account.
func (s *Sandbox) Balance(ctx context.Context, key string) (float64, error) {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return 0, err
	}
	a, err := balanceOf(ctx, s.db.Reads, account)
	return a.credits(), err
}

// An account is one as the console lists it.
type account struct {
	ID      string
	Name    string // of its first key
	Balance amount
}

// accounts returns all of them, the first one first.
func (s *Sandbox) accounts(ctx context.Context) ([]account, error) {
	rows, err := s.db.Reads.QueryContext(ctx, `
		SELECT a.id, a.balance, coalesce((SELECT k.name FROM api_key k WHERE k.account_id = a.id ORDER BY k.id LIMIT 1), '')
		FROM account a ORDER BY a.created_at, a.rowid`)
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	defer rows.Close()
	var list []account
	for rows.Next() {
		var a account
		if err := rows.Scan(&a.ID, &a.Balance, &a.Name); err != nil {
			return nil, fmt.Errorf("accounts: %w", err)
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// accountOf returns the account that has the key, or ErrUnknownKey.
func accountOf(ctx context.Context, q querier, key string) (string, error) {
	var account string
	err := q.QueryRowContext(ctx, `SELECT account_id FROM api_key WHERE hash = ? AND revoked_at = 0`, hashOf(key)).Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrUnknownKey
	}
	if err != nil {
		return "", fmt.Errorf("sandbox: key: %w", err)
	}
	return account, nil
}
