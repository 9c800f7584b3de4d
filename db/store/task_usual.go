package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Usual returns how long, from sending to done, the middle half of the last 50
// videos of this kind took, and what the newest one cost, finished or not. For
// the time a kind is model, scene, duration and resolution; for the cost it is
// also the sound.
func (s *Store) Usual(ctx context.Context, scene, model string, o db.Options) (db.Usual, error) {
	var usual db.Usual
	err := s.read(ctx, func(tx *sql.Tx) error {
		took, err := took(ctx, tx, 50, scene, model, o)
		if err != nil {
			return err
		}
		usual = usualOf(took)
		usual.LastCost, err = lastCost(ctx, tx, scene, model, o)
		return err
	})
	return usual, about("usual time of "+model, err)
}

// LastCost returns what the newest video of the kind cost, finished or not. Usual
// says what a kind is.
func (s *Store) LastCost(ctx context.Context, scene, model string, o db.Options) (db.Credits, error) {
	cost, err := lastCost(ctx, s.reads, scene, model, o)
	return cost, about("last cost of "+model, err)
}

// UsualTime is Usual without the cost. It is asked for again and again while
// videos of the kind run.
func (s *Store) UsualTime(ctx context.Context, scene, model string, o db.Options) (db.Usual, error) {
	took, err := took(ctx, s.reads, 50, scene, model, o)
	return usualOf(took), about("usual time of "+model, err)
}

func usualOf(took []time.Duration) db.Usual {
	return db.Usual{Count: len(took), Low: percentile(took, 25), High: percentile(took, 75)}
}

// Took returns how long the last 200 videos of this kind took, and for how long
// those of it have been running that were sent first. A kind is what it is for
// Usual.
func (s *Store) Took(ctx context.Context, scene, model string, o db.Options, now time.Time) (done, running []time.Duration, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		if done, err = took(ctx, tx, 200, scene, model, o); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT ? - sent_at FROM tasks
			WHERE state IN ('pending', 'processing') AND model = ? AND scene = ? AND duration = ? AND resolution = ?
				AND sent_at IS NOT NULL
			ORDER BY sent_at LIMIT 1000`, instant(now), model, scene, o.Duration, o.Resolution)
		running, err = all(rows, err, scanTook)
		return err
	})
	return done, running, about("usual time of "+model, err)
}

// took returns how long the last videos of the kind took, the shortest first.
func took(ctx context.Context, from querier, last int, scene, model string, o db.Options) ([]time.Duration, error) {
	rows, err := from.QueryContext(ctx, `
		SELECT done_at - sent_at FROM (
			SELECT done_at, sent_at FROM tasks
			WHERE state = 'success' AND model = ? AND scene = ? AND duration = ? AND resolution = ?
				AND sent_at IS NOT NULL
			ORDER BY done_at DESC LIMIT ? + 0)
		ORDER BY 1`, model, scene, o.Duration, o.Resolution, last)
	return all(rows, err, scanTook)
}

func lastCost(ctx context.Context, from querier, scene, model string, o db.Options) (db.Credits, error) {
	var cost credits
	err := from.QueryRowContext(ctx, `
		SELECT charged FROM tasks
		WHERE charged IS NOT NULL AND (charged > 0 OR state = 'success') AND model = ? AND scene = ? AND duration = ? AND resolution = ? AND audio = ?
		ORDER BY id DESC LIMIT 1`, model, scene, o.Duration, o.Resolution, audio(o)).Scan(&cost)
	if err == sql.ErrNoRows {
		err = nil
	}
	return db.Credits(cost), err
}

// audio returns the choice as the column of this name has it.
func audio(o db.Options) int {
	switch {
	case o.Audio == nil:
		return -1
	case *o.Audio:
		return 1
	default:
		return 0
	}
}

// percentile returns the value below which about percent of the sorted ones lie.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*percent/100]
}

func scanTook(rows *sql.Rows) (time.Duration, error) {
	var millis int64
	err := rows.Scan(&millis)
	return time.Duration(millis) * time.Millisecond, err
}
