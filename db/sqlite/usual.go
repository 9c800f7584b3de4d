package sqlite

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
		rows, err := tx.QueryContext(ctx, `
			SELECT done_at - sent_at FROM (
				SELECT done_at, sent_at FROM tasks
				WHERE state = 'success' AND model = ? AND scene = ? AND duration = ? AND resolution = ?
					AND sent_at IS NOT NULL
				ORDER BY done_at DESC LIMIT 50)
			ORDER BY 1`, model, scene, o.Duration, o.Resolution)
		took, err := all(rows, err, scanTook)
		if err != nil {
			return err
		}
		usual.Count = len(took)
		usual.Low, usual.High = percentile(took, 25), percentile(took, 75)
		usual.LastCost, err = lastCost(ctx, tx, scene, model, o)
		return err
	})
	return usual, about("usual time of "+model, err)
}

func lastCost(ctx context.Context, tx *sql.Tx, scene, model string, o db.Options) (db.Credits, error) {
	var cost credits
	err := tx.QueryRowContext(ctx, `
		SELECT charged FROM tasks
		WHERE charged IS NOT NULL AND (charged > 0 OR state = 'success') AND model = ? AND scene = ? AND duration = ? AND resolution = ? AND audio = ?
		ORDER BY id DESC LIMIT 1`, model, scene, o.Duration, o.Resolution, audio(o)).Scan(&cost)
	if err == sql.ErrNoRows {
		err = nil
	}
	return db.Credits(cost), err
}

// audio is the choice as the column of this name has it.
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

// percentile is the value below which about percent of the sorted ones lie.
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
