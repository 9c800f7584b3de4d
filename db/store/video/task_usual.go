package video

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// itsService is an expression for the service whose ID is $1 or, if that is 0, for the one
// that the team uses.
const itsService = `coalesce(nullif(CAST($1 AS BIGINT), 0), ` + kit.CurrentService + `)`

// Usual returns the range of times, from the start of making to completion, that the middle
// half of the last 50 videos of the same kind took. A kind is a combination of model, scene,
// duration, resolution and service: that of the task or, if it names none, the one that the
// team uses.
func (s *Tasks) Usual(ctx context.Context, t db.Task) (schedule.Usual, error) {
	look := s.db.Reading(ctx)
	took := took(look, 50, t)
	return schedule.Usual{Count: len(took), Low: percentile(took, 25), High: percentile(took, 75)}, engine.About("usual time of "+t.Model, look.Err())
}

// Took returns how long the last 200 videos of the same kind took, and for how long
// running tasks of the kind have been made, those that were sent first. A kind is
// the same as for Usual. A pending task counts from its acceptance, like a video whose making
// no query ever shows.
func (s *Tasks) Took(ctx context.Context, t db.Task, now time.Time) (done, running []time.Duration, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		done = took(tx, 200, t)
		running = engine.All(tx, scanTook, `
			SELECT $2 - coalesce(making_at, accepted_at) FROM tasks
			WHERE state IN ('pending', 'processing') AND service_id = `+itsService+` AND model = $3 AND scene = $4 AND duration = $5 AND resolution = $6
				AND (making_at IS NOT NULL OR state = 'pending' AND accepted_at IS NOT NULL)
			ORDER BY sent_at LIMIT 1000`, t.ServiceID, engine.Instant(now), t.Model, t.Scene, t.Options.Duration, t.Options.Resolution)
	})
	return done, running, engine.About("usual time of "+t.Model, err)
}

// took returns how long making the last videos of the kind took, in ascending order.
func took(tx *engine.Tx, last int, t db.Task) []time.Duration {
	return schedule.TimesOf(engine.All(tx, scanMade, `
		SELECT done_at - making_at, coalesce(making_at > accepted_at, FALSE) FROM tasks
		WHERE state = 'success' AND service_id = `+itsService+` AND model = $2 AND scene = $3 AND duration = $4 AND resolution = $5
			AND making_at IS NOT NULL
		ORDER BY done_at DESC LIMIT $6 + 0`, t.ServiceID, t.Model, t.Scene, t.Options.Duration, t.Options.Resolution, last))
}

func scanMade(rows *sql.Rows) (m schedule.Made, err error) {
	var millis int64
	err = rows.Scan(&millis, &m.Seen)
	m.Took = time.Duration(millis) * time.Millisecond
	return m, err
}

// percentile returns the value below which about percent of the sorted values lie.
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

// Estimate returns what the task is likely to cost, from what the newest tasks of its
// model cost at its service or, if it names none, at the one that the team uses. Credits
// that were charged and later refunded also tell the price. 0 counts as a price if the
// video was made.
func (s *Tasks) Estimate(ctx context.Context, t db.Task) (ordering.Estimate, error) {
	// A form needs a dozen estimates. Without a transaction, each saves two round trips
	// to a server.
	look := s.db.Reading(ctx)
	e := estimate(look, t)
	return e, engine.About("price of "+t.Model, look.Err())
}

func estimate(look *engine.Tx, t db.Task) ordering.Estimate {
	o := t.Options
	charges := engine.All(look, engine.ScanFields(chargeFields), `
		SELECT t.id, t.charged, 1, 1
		FROM (SELECT CAST($3 AS TEXT) AS scene, CAST($4 AS BIGINT) AS duration, CAST($5 AS TEXT) AS resolution, CAST($6 AS BIGINT) AS audio) kind,
			`+engine.EachOf(newestOfKind)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)`, t.ServiceID, t.Model, t.Scene, o.Duration, o.Resolution, audio(o), ordering.NewestCharges)
	if look.OK() && len(charges) < ordering.EnoughCharges {
		charges = chargesOfModel(look, t)
	}
	return ordering.EstimateOf(charges)
}

// newestOfKind selects the newest $7 charged tasks of the model $2 at the service $1 that
// have the values in the row kind. It reads $7 entries of the index from the newest of the
// kind downwards, and leaves out those of other kinds. A query for the newest tasks with
// these values would be simpler, but if there are fewer than $7, PostgreSQL might go
// through all tasks in ID order.
const newestOfKind = `
	SELECT id FROM (
		SELECT id, scene, duration, resolution, audio FROM tasks INDEXED BY tasks_price
		WHERE charged IS NOT NULL AND (charged > 0 OR state = 'success') AND service_id = ` + itsService + ` AND model = $2
			AND (scene, duration, resolution, audio) <= (kind.scene || '', kind.duration + 0, kind.resolution || '', kind.audio + 0)
		ORDER BY scene DESC, duration DESC, resolution DESC, audio DESC, id DESC LIMIT $7 + 0) newest
	WHERE scene = kind.scene AND duration = kind.duration AND resolution = kind.resolution AND audio = kind.audio`

// chargesOfModel returns the newest charges for each combination of scene, duration,
// resolution and sound that was used with the task's model. It jumps from one to the
// next in an index, so that the time does not depend on how many tasks each has. The
// comparisons need computed values, which have no affinity: with the plain columns,
// SQLite would read the index from the beginning of the scene, or of the combination.
func chargesOfModel(tx *engine.Tx, t db.Task) []ordering.Charge {
	o := t.Options
	return engine.All(tx, engine.ScanFields(chargeFields), `
		WITH RECURSIVE kind (scene, duration, resolution, audio) AS (
			SELECT scene, duration, resolution, audio FROM (
				SELECT scene, duration, resolution, audio FROM tasks INDEXED BY tasks_price
				WHERE charged IS NOT NULL AND service_id = `+itsService+` AND model = $2 ORDER BY scene, duration, resolution, audio LIMIT 1) first
			UNION ALL
			SELECT t.scene, t.duration, t.resolution, t.audio
			FROM kind JOIN tasks t ON t.id = (
				SELECT id FROM tasks INDEXED BY tasks_price
				WHERE charged IS NOT NULL AND service_id = `+itsService+` AND model = $2
					AND (scene, duration, resolution, audio) >= (kind.scene || '', kind.duration + 0, kind.resolution || '', kind.audio + 1)
				ORDER BY scene, duration, resolution, audio LIMIT 1)
		)
		SELECT t.id, t.charged, kind.scene = $3, (kind.duration, kind.resolution, kind.audio) = ($4, $5, $6)
		FROM kind, `+engine.EachOf(newestOfKind)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)`,
		t.ServiceID, t.Model, t.Scene, o.Duration, o.Resolution, audio(o), ordering.NewestCharges)
}

func chargeFields(c *ordering.Charge) []any {
	return []any{&c.TaskID, (*engine.Amount)(&c.Credits), &c.SameScene, &c.SameOptions}
}

// audio returns the choice of sound as the column audio has it: -1 if it was left to
// the service.
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
