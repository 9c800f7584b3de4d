package video

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Clock stores the trusted clock: see db.Clock.
type Clock struct {
	db *kit.DB
}

// Tick advances the trusted clock, by which things are deleted for good, after the
// program has run for another duration, passed, and returns it. A new clock starts at
// the newest time in the database, because the machine's clock may be wrong at that
// moment.
func (s *Clock) Tick(ctx context.Context, now time.Time, passed time.Duration) (c db.Clock, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
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
			engine.Instant(c.Trusted), engine.Instant(c.Latest), engine.Instant(c.Claim), c.Held.Milliseconds())
		return err
	})
	return c, engine.About("clock", err)
}

// Due returns the time up to which expired things may be deleted for good, when the
// machine's clock shows now; see db.Clock.
func (s *Clock) Due(ctx context.Context, now time.Time) (time.Time, error) {
	var due time.Time
	err := s.db.Read(ctx, func(tx *sql.Tx) error {
		c, err := clock(ctx, tx)
		if errors.Is(err, sql.ErrNoRows) {
			c, err = newestTime(ctx, tx, now)
		}
		due = c.Due(now)
		return err
	})
	return due, engine.About("clock", err)
}

// DeletionTime returns the time to record for what is put into the bin now: see
// db.Clock.Since.
func DeletionTime(ctx context.Context, tx *sql.Tx, now time.Time) (time.Time, error) {
	c, err := clock(ctx, tx)
	if errors.Is(err, sql.ErrNoRows) {
		return now, nil
	}
	return c.Since(now), err
}

func clock(ctx context.Context, tx *sql.Tx) (c db.Clock, err error) {
	var held int64
	err = tx.QueryRowContext(ctx, `SELECT trusted, latest, claim, held FROM clock`).
		Scan((*engine.Instant)(&c.Trusted), (*engine.Instant)(&c.Latest), (*engine.Instant)(&c.Claim), &held)
	c.Held = time.Duration(held) * time.Millisecond
	return c, err
}

// newestTime returns a clock set to the newest time recorded in the database, or to now
// if the database is empty.
func newestTime(ctx context.Context, tx *sql.Tx, now time.Time) (c db.Clock, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(max(at), $1) FROM (
			SELECT max(created_at) AS at FROM users
			UNION ALL SELECT max(seen_at) FROM sessions
			UNION ALL SELECT created_at FROM (SELECT created_at FROM tasks ORDER BY id DESC LIMIT 1) newest) written`, engine.Instant(now),
	).Scan((*engine.Instant)(&c.Trusted))
	return c, err
}
