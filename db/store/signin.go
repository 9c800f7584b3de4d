package store

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// SignIn adds the session and sets its ID, if the account's password hash still
// is the one that was checked; else it is db.ErrConflict. A renewed hash of the
// same password, if there is one, takes its place. Sessions and resets that
// have expired are forgotten.
func (s *Store) SignIn(ctx context.Context, session *db.Session, checked, renewed string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if err := replacePassword(ctx, tx, session.UserID, checked, cmp.Or(renewed, checked)); err != nil {
			return err
		}
		if err := sweepAccess(ctx, tx, session.CreatedAt); err != nil {
			return err
		}
		return addSession(ctx, tx, session)
	})
}

// ChangePassword sets the password, if its hash still is the one that was
// checked; else it is db.ErrConflict. All other sessions of the person end, as
// does a link that sets a new password, and the session keepID gets another
// token. If it has ended meanwhile, it is db.ErrNotFound and nothing changes.
func (s *Store) ChangePassword(ctx context.Context, userID int64, checked, hash string, keepID int64, token db.TokenHash) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if err := replacePassword(ctx, tx, userID, checked, hash); err != nil {
			return err
		}
		if err := found(tx.ExecContext(ctx, `
			UPDATE sessions SET token = ? WHERE id = ? AND user_id = ?`, digest(token), keepID, userID)); err != nil {
			return about(session(keepID), err)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ? AND id <> ?`, userID, keepID); err != nil {
			return about("sessions of "+user(userID), err)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM resets WHERE user_id = ?`, userID)
		return about("reset of "+user(userID), err)
	})
}

func replacePassword(ctx context.Context, tx *sql.Tx, userID int64, checked, hash string) error {
	return about("password of "+user(userID), held(tx.ExecContext(ctx, `
		UPDATE users SET password = ? WHERE id = ? AND password = ?`, hash, userID, checked)))
}

// RenewSession gives the session another token, in a cookie for this host alone,
// if it still has the old one; else it is db.ErrConflict.
func (s *Store) RenewSession(ctx context.Context, id int64, old, token db.TokenHash) error {
	return about(session(id), held(s.writes.ExecContext(ctx, `
		UPDATE sessions SET token = ?, for_host = 1 WHERE id = ? AND token = ?`, digest(token), id, digest(old))))
}

// SweepSessions forgets the sessions, and the resets, that have expired, by the
// machine's clock and by the one that is trusted: a clock that is wrong for a
// while signs nobody out for good.
func (s *Store) SweepSessions(ctx context.Context, now time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error { return sweepAccess(ctx, tx, now) })
}

func sweepAccess(ctx context.Context, tx *sql.Tx, now time.Time) error {
	for _, expired := range []string{
		`DELETE FROM sessions WHERE expires_at <= min(?1, coalesce((SELECT trusted FROM clock), ?1))`,
		`DELETE FROM resets WHERE expires_at <= min(?1, coalesce((SELECT trusted FROM clock), ?1))`,
	} {
		if _, err := tx.ExecContext(ctx, expired, instant(now)); err != nil {
			return about("what has expired", err)
		}
	}
	return nil
}
