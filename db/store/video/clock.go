package video

import (
	"context"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Clock stores the trusted clock: see schedule.Clock.
type Clock struct {
	db *teamdb.DB
}

// Tick advances the trusted clock, by which things are deleted for good, after the
// program has run for another duration, passed, and returns it. A new clock starts at
// the newest time in the database, because the machine's clock may be wrong at that
// moment.
func (s *Clock) Tick(ctx context.Context, now time.Time, passed time.Duration) (c schedule.Clock, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		c = clock(tx, now).Tick(now, passed)
		tx.Exec(`
			INSERT INTO clock (id, trusted, latest, claim, held) VALUES (1, $1, $2, $3, $4)
			ON CONFLICT (id) DO UPDATE SET
				trusted = excluded.trusted, latest = excluded.latest, claim = excluded.claim, held = excluded.held`,
			engine.Instant(c.Trusted), engine.Instant(c.Latest), engine.Instant(c.Claim), c.Held.Milliseconds())
	})
	return c, engine.About("clock", err)
}

// Due returns the time up to which expired things may be deleted for good, when the
// machine's clock shows now; see schedule.Clock.
func (s *Clock) Due(ctx context.Context, now time.Time) (time.Time, error) {
	return engine.Read(ctx, s.db, "clock", func(tx *engine.Tx) time.Time { return clock(tx, now).Due(now) })
}

// DeletionTime returns the time to record for what is put into the bin now: see
// schedule.Clock.Since.
func DeletionTime(tx *engine.Tx, now time.Time) time.Time {
	c, found := storedClock(tx)
	if !tx.OK() || !found {
		return now
	}
	return c.Since(now)
}

// clock returns the stored clock, or a new one.
func clock(tx *engine.Tx, now time.Time) schedule.Clock {
	c, found := storedClock(tx)
	if tx.OK() && !found {
		return newestTime(tx, now)
	}
	return c
}

func storedClock(tx *engine.Tx) (c schedule.Clock, found bool) {
	var held int64
	found = tx.Row(`SELECT trusted, latest, claim, held FROM clock`).
		Find((*engine.Instant)(&c.Trusted), (*engine.Instant)(&c.Latest), (*engine.Instant)(&c.Claim), &held)
	c.Held = time.Duration(held) * time.Millisecond
	return c, found
}

// newestTime returns a clock set to the newest time recorded in the database, or to now
// if the database is empty.
func newestTime(tx *engine.Tx, now time.Time) (c schedule.Clock) {
	tx.Row(`
		SELECT coalesce(max(at), $1) FROM (
			SELECT max(created_at) AS at FROM users
			UNION ALL SELECT max(seen_at) FROM sessions
			UNION ALL SELECT created_at FROM (SELECT created_at FROM tasks ORDER BY id DESC LIMIT 1) newest) written`, engine.Instant(now),
	).Scan((*engine.Instant)(&c.Trusted))
	return c
}
