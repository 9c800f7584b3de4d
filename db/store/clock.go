package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
)

// Tick moves the clock by which things are deleted, after the program has run
// for the duration, and returns it. The first time it begins at the newest time
// in the database, for the machine's clock may be wrong just then.
func (s *Store) Tick(ctx context.Context, now time.Time, passed time.Duration) (c db.Clock, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		if c, err = clock(ctx, tx); errors.Is(err, sql.ErrNoRows) {
			c, err = newestTime(ctx, tx, now)
		}
		if err != nil {
			return err
		}
		c = c.Tick(now, passed)
		_, err := tx.ExecContext(ctx, `
			INSERT INTO clock (id, trusted, latest, claim, held) VALUES (1, $1, $2, $3, $4)
			ON CONFLICT (id) DO UPDATE SET
				trusted = excluded.trusted, latest = excluded.latest, claim = excluded.claim, held = excluded.held`,
			instant(c.Trusted), instant(c.Latest), instant(c.Claim), c.Held.Milliseconds())
		return err
	})
	return c, about("clock", err)
}

// Due returns the time until which things may be deleted for good when the
// machine's clock says now; see db.Clock.
func (s *Store) Due(ctx context.Context, now time.Time) (time.Time, error) {
	var due time.Time
	err := s.read(ctx, func(tx *sql.Tx) error {
		c, err := clock(ctx, tx)
		if errors.Is(err, sql.ErrNoRows) {
			c, err = newestTime(ctx, tx, now)
		}
		due = c.Due(now)
		return err
	})
	return due, about("clock", err)
}

// since returns the time to write down for what goes into the bin now.
func since(ctx context.Context, tx *sql.Tx, now time.Time) (time.Time, error) {
	c, err := clock(ctx, tx)
	if errors.Is(err, sql.ErrNoRows) {
		return now, nil
	}
	return c.Since(now), err
}

func clock(ctx context.Context, tx *sql.Tx) (c db.Clock, err error) {
	var held int64
	err = tx.QueryRowContext(ctx, `SELECT trusted, latest, claim, held FROM clock`).
		Scan((*instant)(&c.Trusted), (*instant)(&c.Latest), (*instant)(&c.Claim), &held)
	c.Held = time.Duration(held) * time.Millisecond
	return c, err
}

// newestTime returns a clock at the newest time that anything was written down with;
// now in a database with nothing in it.
func newestTime(ctx context.Context, tx *sql.Tx, now time.Time) (c db.Clock, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(max(at), $1) FROM (
			SELECT max(created_at) AS at FROM users
			UNION ALL SELECT max(seen_at) FROM sessions
			UNION ALL SELECT created_at FROM (SELECT created_at FROM tasks ORDER BY id DESC LIMIT 1) newest) written`, instant(now),
	).Scan((*instant)(&c.Trusted))
	return c, err
}
