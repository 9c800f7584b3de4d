package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/sqlite"
	"dailies/db/team"
)

// Remedy says what to do about a database that is damaged.
const Remedy = sqlite.Remedy

// Damage returns the defects that were found in the database, one string each.
func (s *Store) Damage(ctx context.Context) ([]string, error) {
	found, err := s.engine.Damage(ctx)
	return found, about("integrity of the database", err)
}

// EachMade calls see for every finished video with its files, the oldest first. An
// error from see stops it and is returned unchanged.
func (s *Store) EachMade(ctx context.Context, see func(db.Task) error) error {
	for last := int64(0); ; {
		tasks, err := s.made(ctx, last)
		if err != nil || len(tasks) == 0 {
			return about("finished videos", err)
		}
		for _, t := range tasks {
			if err := see(t); err != nil {
				return err
			}
			last = t.ID
		}
	}
}

// made returns the next 500 finished videos whose ID is greater than after.
func (s *Store) made(ctx context.Context, after int64) (tasks []db.Task, err error) {
	return tasks, s.read(ctx, func(tx *sql.Tx) (err error) {
		tasks, err = selectTasks(ctx, tx, `
			FROM tasks t JOIN users u ON u.id = t.user_id
			WHERE t.id > $1 AND t.state = 'success' AND t.purged_at IS NULL
			ORDER BY t.id LIMIT 500`, after)
		return err
	})
}

// EachPicture calls see for every uploaded picture, the oldest first. An error from see
// stops it and is returned unchanged.
func (s *Store) EachPicture(ctx context.Context, see func(db.Picture) error) error {
	pictures, err := all(ctx, s.reads, scanPicture, `SELECT `+pictureColumns+` FROM pictures p ORDER BY p.id`)
	if err != nil {
		return about("pictures", err)
	}
	for _, p := range pictures {
		if err := see(p); err != nil {
			return err
		}
	}
	return nil
}

// Resume settles the queued and sending tasks of a database that is not the latest,
// such as one restored from a backup: the service may have received them since, so they
// become unconfirmed and their makers decide. The argument since completes the message
// to them, for example "the backup was made". Resume returns how many tasks these are.
func (s *Store) Resume(ctx context.Context, since string, now time.Time) (unsure int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		tasks, err := loadSelected(ctx, tx, `SELECT id FROM tasks WHERE state IN ('queued', 'sending')`)
		if err != nil {
			return err
		}
		unsure = len(tasks)
		for _, t := range tasks {
			before := t
			if t.State == db.Queued {
				if err := t.Begin(now); err != nil {
					return err
				}
			}
			if err := t.Lose("It waited to be sent when "+since+", and may have been sent since.", now); err != nil {
				return err
			}
			if err := s.saveTask(ctx, tx, before, &t); err != nil {
				return err
			}
		}
		return nil
	})
	return unsure, about("tasks that waited to be sent", err)
}

// CloseAccess ends every session, every unused join link, every link that sets a new
// password, every shared link, all recovery codes, and, unless passwords are turned
// off, the connected accounts of people who have a password. It is for a database that
// is not the latest, such as one restored from a backup: access that was revoked later
// is open again in it, and nobody can tell which. what names the reason in the audit.
//
// One-time codes and passkeys stay, because without them the password alone would open
// the account. Codes that may have been used since are not accepted, and a passkey
// works only together with the password until it has been used so once: see
// team.Passkey.
func (s *Store) CloseAccess(ctx context.Context, what string, now time.Time) (closed db.Closed, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		for _, kind := range []struct {
			count     *int
			statement string
		}{
			{&closed.Sessions, `DELETE FROM sessions RETURNING expires_at > $1`},
			{&closed.Invites, `DELETE FROM invites WHERE used_at IS NULL RETURNING expires_at > $1`},
			{&closed.Resets, `DELETE FROM resets RETURNING expires_at > $1`},
			{&closed.Shares, `UPDATE shares SET revoked_at = $1 WHERE revoked_at IS NULL RETURNING expires_at > $1`},
		} {
			open, err := all(ctx, tx, scanValue[bool], kind.statement, instant(now))
			if err != nil {
				return err
			}
			for _, was := range open {
				if was {
					*kind.count++
				}
			}
		}
		// Waiting mails may have been sent since, and the links in them no longer work.
		if _, err := tx.ExecContext(ctx, `DELETE FROM mails WHERE next_at IS NOT NULL`); err != nil {
			return err
		}
		if err := closeFactors(ctx, tx, &closed, now); err != nil {
			return err
		}
		if closed.Admins, err = all(ctx, tx, scanValue[string], `SELECT name FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`); err != nil {
			return err
		}
		if closed.Open, err = count(ctx, tx, `SELECT 1 FROM users WHERE deactivated_at IS NULL`, nil); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.Restored, What: what, After: fmt.Sprintf(
			"ended: %d sessions, %d join links, %d links for a password, %d shared links, %d recovery codes, %d connected accounts; passkeys that need the password once: %d",
			closed.Sessions, closed.Invites, closed.Resets, closed.Shares, closed.Recovery, closed.Identities, closed.Passkeys)})
	})
	return closed, about("sessions and links", err)
}

// closeFactors ends the other means of signing in, as described at CloseAccess.
func closeFactors(ctx context.Context, tx *sql.Tx, closed *db.Closed, now time.Time) error {
	rules, err := signOn(ctx, tx)
	if err != nil {
		return err
	}
	if err := counted(&closed.Recovery)(tx.ExecContext(ctx, `DELETE FROM recovery_codes`)); err != nil {
		return err
	}
	if err := counted(&closed.Passkeys)(tx.ExecContext(ctx, `UPDATE passkeys SET used_at = $1`, restoredPasskey)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE codes SET step = $1 WHERE step < $1`, team.LastCodeStep(now)); err != nil {
		return err
	}
	if rules.PasswordsOff { // connected accounts are the only way to sign in
		return nil
	}
	return counted(&closed.Identities)(tx.ExecContext(ctx, `
		DELETE FROM identities WHERE user_id IN (SELECT id FROM users WHERE password <> '')`))
}
