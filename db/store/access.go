package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// CloseAccess ends every session, takes back every join link that nobody has
// used and every link for a new password, and closes every share link. It is
// for a database that was restored from a copy: what was ended or taken back
// after the copy was made is open again in it, and nobody can tell which.
func (s *Store) CloseAccess(ctx context.Context, now time.Time) (closed db.Closed, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		for _, kind := range []struct {
			count     *int
			statement string
		}{
			{&closed.Sessions, `DELETE FROM sessions RETURNING expires_at > ?1`},
			{&closed.Invites, `DELETE FROM invites WHERE used_at IS NULL RETURNING expires_at > ?1`},
			{&closed.Resets, `DELETE FROM resets RETURNING expires_at > ?1`},
			{&closed.Shares, `UPDATE shares SET revoked_at = ?1 WHERE revoked_at IS NULL RETURNING expires_at > ?1`},
		} {
			rows, err := tx.QueryContext(ctx, kind.statement, instant(now))
			open, err := all(rows, err, scanFlag)
			if err != nil {
				return err
			}
			for _, was := range open {
				if was {
					*kind.count++
				}
			}
		}
		return nil
	})
	return closed, about("sessions and links", err)
}
