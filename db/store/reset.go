package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// AddReset adds the link that sets a new password. The person's link of before
// ends.
func (s *Store) AddReset(ctx context.Context, r db.Reset) error {
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO resets (user_id, token, created_at, expires_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET token = excluded.token, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		r.UserID, digest(r.Token), instant(r.CreatedAt), instant(r.ExpiresAt))
	return about("reset of "+user(r.UserID), err)
}

// Reset returns the account whose password the token sets. One that was used or
// has expired is db.ErrNotFound.
func (s *Store) Reset(ctx context.Context, token db.TokenHash, now time.Time) (db.User, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT `+userColumns+`
		FROM resets r JOIN users u ON u.id = r.user_id
		WHERE r.token = ? AND r.expires_at > ?`, digest(token), instant(now))
	u, err := one(rows, err, scanUser)
	return u, about("reset", err)
}

// UseReset sets the person's password, given as db.HashPassword makes it, ends
// all their sessions, and uses the link up. A link that was used or has expired
// is db.ErrNotFound.
func (s *Store) UseReset(ctx context.Context, token db.TokenHash, hash string, now time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		var userID int64
		err := tx.QueryRowContext(ctx, `
			DELETE FROM resets WHERE token = ? AND expires_at > ? RETURNING user_id`, digest(token), instant(now)).Scan(&userID)
		if err != nil {
			return about("reset", err)
		}
		if err := found(tx.ExecContext(ctx, `UPDATE users SET password = ? WHERE id = ?`, hash, userID)); err != nil {
			return about(user(userID), err)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ?`, userID)
		return about("sessions of "+user(userID), err)
	})
}
