package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// normEmails computes email_norm where it is missing: SQL knows the case of
// ASCII letters alone. It may be stopped and repeated at any time.
func (s *Store) normEmails(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT `+userColumns+`
			FROM users u WHERE email_norm = ''`)
		users, err := all(rows, err, scanUser)
		if err != nil {
			return about("e-mail addresses", err)
		}
		for _, u := range users {
			if _, err := tx.ExecContext(ctx, `UPDATE users SET email_norm = ? WHERE id = ?`, db.EmailKey(u.Email), u.ID); err != nil {
				return about(user(u.ID), err)
			}
		}
		return nil
	})
}
