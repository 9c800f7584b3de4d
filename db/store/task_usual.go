package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Usual returns how long, from sending to done, the middle half of the last 50
// tasks of this one's kind took. A kind is model, scene, duration and resolution.
func (s *Store) Usual(ctx context.Context, t db.Task) (db.Usual, error) {
	took, err := took(ctx, s.reads, 50, t)
	return db.Usual{Count: len(took), Low: percentile(took, 25), High: percentile(took, 75)}, about("usual time of "+t.Model, err)
}

// Took returns how long the last 200 tasks of this one's kind took, and for how
// long those of it have been running that were sent first. A kind is what it is
// for Usual.
func (s *Store) Took(ctx context.Context, t db.Task, now time.Time) (done, running []time.Duration, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		if done, err = took(ctx, tx, 200, t); err != nil {
			return err
		}
		running, err = all(ctx, tx, scanTook, `
			SELECT $1 - sent_at FROM tasks
			WHERE state IN ('pending', 'processing') AND model = $2 AND scene = $3 AND duration = $4 AND resolution = $5
				AND sent_at IS NOT NULL
			ORDER BY sent_at LIMIT 1000`, instant(now), t.Model, t.Scene, t.Options.Duration, t.Options.Resolution)
		return err
	})
	return done, running, about("usual time of "+t.Model, err)
}

// took returns how long the last videos of the kind took, the shortest first.
func took(ctx context.Context, from querier, last int, t db.Task) ([]time.Duration, error) {
	return all(ctx, from, scanTook, `
		SELECT done_at - sent_at FROM (
			SELECT done_at, sent_at FROM tasks
			WHERE state = 'success' AND model = $1 AND scene = $2 AND duration = $3 AND resolution = $4
				AND sent_at IS NOT NULL
			ORDER BY done_at DESC LIMIT $5 + 0) newest
		ORDER BY 1`, t.Model, t.Scene, t.Options.Duration, t.Options.Resolution, last)
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

// Estimate returns what the task is likely to cost, from what the newest ones of
// its model cost, finished or not. What was charged only to come back is a price
// too; 0 is one if the video was made.
func (s *Store) Estimate(ctx context.Context, t db.Task) (db.Estimate, error) {
	o := t.Options
	// A form asks for a dozen of these, so none takes the two further ways to a server
	// that a transaction takes.
	charges, err := all(ctx, s.reads, scanCharge, `
		SELECT t.id, t.charged, 1, 1
		FROM (SELECT CAST($2 AS TEXT) AS scene, CAST($3 AS BIGINT) AS duration, CAST($4 AS TEXT) AS resolution, CAST($5 AS BIGINT) AS audio) kind,
			`+eachOf(newestOfKind)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)`, t.Model, t.Scene, o.Duration, o.Resolution, audio(o), db.NewestCharges)
	if err == nil && len(charges) < db.EnoughCharges {
		charges, err = chargesOfModel(ctx, s.reads, t)
	}
	return db.EstimateOf(charges), about("price of "+t.Model, err)
}

// newestOfKind selects the newest $6 tasks of the model $1 that were charged and are of
// the row kind. It reads so many from the newest on downwards in the order of the index,
// and leaves out those of another kind: where there are fewer, a server that is asked for
// the newest ones with these values may go through all tasks by their ids instead.
const newestOfKind = `
	SELECT id FROM (
		SELECT id, scene, duration, resolution, audio FROM tasks INDEXED BY tasks_price
		WHERE charged IS NOT NULL AND (charged > 0 OR state = 'success') AND model = $1
			AND (scene, duration, resolution, audio) <= (kind.scene || '', kind.duration + 0, kind.resolution || '', kind.audio + 0)
		ORDER BY scene DESC, duration DESC, resolution DESC, audio DESC, id DESC LIMIT $6 + 0) newest
	WHERE scene = kind.scene AND duration = kind.duration AND resolution = kind.resolution AND audio = kind.audio`

// chargesOfModel returns the newest charges of each scene, duration, resolution
// and sound that the task's model was used with. It steps from one to the next,
// however many tasks each of them has. For that the comparison needs values
// that are computed, which have no affinity: with the columns themselves SQLite
// reads the index from the beginning of the scene, or of the kind.
func chargesOfModel(ctx context.Context, from querier, t db.Task) ([]db.Charge, error) {
	o := t.Options
	return all(ctx, from, scanCharge, `
		WITH RECURSIVE kind (scene, duration, resolution, audio) AS (
			SELECT scene, duration, resolution, audio FROM (
				SELECT scene, duration, resolution, audio FROM tasks INDEXED BY tasks_price
				WHERE charged IS NOT NULL AND model = $1 ORDER BY scene, duration, resolution, audio LIMIT 1) first
			UNION ALL
			SELECT t.scene, t.duration, t.resolution, t.audio
			FROM kind JOIN tasks t ON t.id = (
				SELECT id FROM tasks INDEXED BY tasks_price
				WHERE charged IS NOT NULL AND model = $1
					AND (scene, duration, resolution, audio) >= (kind.scene || '', kind.duration + 0, kind.resolution || '', kind.audio + 1)
				ORDER BY scene, duration, resolution, audio LIMIT 1)
		)
		SELECT t.id, t.charged, kind.scene = $2, (kind.duration, kind.resolution, kind.audio) = ($3, $4, $5)
		FROM kind, `+eachOf(newestOfKind)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)`,
		t.Model, t.Scene, o.Duration, o.Resolution, audio(o), db.NewestCharges)
}

func scanCharge(rows *sql.Rows) (c db.Charge, err error) {
	err = rows.Scan(&c.TaskID, (*amount)(&c.Credits), &c.SameScene, &c.SameOptions)
	return c, err
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
