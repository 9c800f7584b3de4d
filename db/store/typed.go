package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// AddTyped keeps a form for the browser that has the token. Forms that have
// waited for too long are removed, and the oldest if there are too many.
func (s *Store) AddTyped(ctx context.Context, token db.TokenHash, t db.Typed) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM typed WHERE at <= $1
				OR token NOT IN (SELECT token FROM typed ORDER BY at DESC LIMIT $2 + 0)`,
			instant(t.At.Add(-db.TypedLife)), db.MostTyped-1)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO typed (token, at, form) VALUES ($1, $2, $3)`,
			digest(token), instant(t.At), asJSON(&t))
		return err
	})
	return about("typed form", err)
}

// Typed returns the form that was kept for the browser with the token.
func (s *Store) Typed(ctx context.Context, token db.TokenHash) (db.Typed, error) {
	var t db.Typed
	err := s.reads.QueryRowContext(ctx, `SELECT form FROM typed WHERE token = $1`, digest(token)).Scan(asJSON(&t))
	return t, about("typed form", err)
}

// DropTyped removes it. It is no error if there is none.
func (s *Store) DropTyped(ctx context.Context, token db.TokenHash) error {
	_, err := s.writes.ExecContext(ctx, `DELETE FROM typed WHERE token = $1`, digest(token))
	return about("typed form", err)
}
