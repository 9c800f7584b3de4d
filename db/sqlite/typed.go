package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"

	"dailies/db"
)

// typedNames are the names of settings under which typed forms wait.
const typedNames = `name >= 'typed ' AND name < 'typed!'`

func typedName(token db.TokenHash) string { return "typed " + hex.EncodeToString(token[:]) }

// AddTyped keeps a form for the browser that has the token. Forms that have
// waited for too long are removed, and the oldest if there are too many.
func (s *Store) AddTyped(ctx context.Context, token db.TokenHash, t db.Typed) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM settings WHERE `+typedNames+` AND (
				unixepoch(value ->> '$.at') <= ?
				OR name NOT IN (SELECT name FROM settings WHERE `+typedNames+` ORDER BY value ->> '$.at' DESC LIMIT ? + 0))`,
			t.At.Add(-db.TypedLife).Unix(), db.MostTyped-1)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?)`, typedName(token), asJSON(&t))
		return err
	})
	return about("typed form", err)
}

// Typed returns the form that was kept for the browser with the token.
func (s *Store) Typed(ctx context.Context, token db.TokenHash) (db.Typed, error) {
	var t db.Typed
	err := s.reads.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, typedName(token)).Scan(asJSON(&t))
	return t, about("typed form", err)
}

// DropTyped removes it. It is no error if there is none.
func (s *Store) DropTyped(ctx context.Context, token db.TokenHash) error {
	_, err := s.writes.ExecContext(ctx, `DELETE FROM settings WHERE name = ?`, typedName(token))
	return about("typed form", err)
}
