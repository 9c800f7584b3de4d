package video

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

const (
	// mostSent bounds how many tasks of each person that the service has accepted but not
	// begun a queue includes: the oldest ones.
	mostSent = 1000

	// paceVideos bounds how many of the videos that ended last make the pace of a queue.
	paceVideos = 500
)

// unbegun is the condition for tasks that the service has not begun, as in the index
// tasks_unbegun.
const unbegun = `state IN ('queued', 'sending', 'pending')`

// Queue returns the queue of everybody who shares the person's key: what waits to be sent, is
// being sent, or is pending. It places those of the person's tasks that have the IDs.
//
// It jumps from person to person among those who have such tasks, so that the time does not
// depend on how many members the team has. What waits to be sent is counted within an index:
// with 10,000 rows of a batch that takes a few milliseconds.
func (s *Leases) Queue(ctx context.Context, userID int64, ids ...int64) (q schedule.Queue, err error) {
	now := s.db.Now()
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		q.Lines = lines(tx, userID)
		people := make([]int64, len(q.Lines))
		for i, l := range q.Lines {
			people[i] = l.UserID
		}
		q.Sent = engine.All(tx, engine.ScanFields(func(t *schedule.SentTask) []any { return []any{&t.ID, (*engine.Instant)(&t.At)} }), `
			SELECT t.id, t.sent_at FROM json_each($1) sharing, `+engine.EachOf(`
				SELECT id FROM tasks
				WHERE user_id = CAST(sharing.value AS BIGINT) AND `+unbegun+` AND state IN ('sending', 'pending') ORDER BY id LIMIT $2 + 0`)+`
			JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)
			ORDER BY t.sent_at, t.id`, engine.AsJSON(&people), mostSent)
		q.Waiting = waitingTasks(tx, userID, ids)
		q.Pace = pace(tx, userID, now)
	})
	return q, engine.About("queue of "+engine.User(userID), err)
}

// lines returns what each of those who share the person's key have waiting to be sent.
func lines(tx *engine.Tx, userID int64) []schedule.Line {
	const (
		own     = `FROM tasks WHERE ` + sendable + ` AND user_id = sharing.user_id`
		singles = own + ` AND bulk = 0`
		rows    = own + ` AND bulk = 1`
	)
	return engine.All(tx, engine.ScanFields(func(l *schedule.Line) []any {
		return []any{&l.UserID, &l.Turn, &l.Passed, &l.Singles, &l.Rows, &l.FirstSingle, &l.FirstRow}
	}), `
		WITH RECURSIVE
		mine (fingerprint) AS MATERIALIZED (
			SELECT fingerprint FROM keys_in_use WHERE user_id = $1 AND length(fingerprint) > 0
		),
		waiting (user_id) AS (
			SELECT min(user_id) FROM tasks WHERE `+unbegun+`
			UNION ALL
			SELECT (SELECT min(user_id) FROM tasks WHERE `+unbegun+` AND user_id > waiting.user_id)
			FROM waiting WHERE user_id IS NOT NULL
		),
		sharing (user_id) AS MATERIALIZED (
			SELECT user_id FROM waiting
			WHERE user_id = $1 OR (SELECT k.fingerprint FROM keys_in_use k WHERE k.user_id = waiting.user_id) = (SELECT fingerprint FROM mine)
		)
		SELECT sharing.user_id, coalesce(turn, 0), coalesce(passed, 0), (SELECT count(*) `+singles+`), (SELECT count(*) `+rows+`),
			coalesce((SELECT min(id) `+singles+`), 0), coalesce((SELECT min(id) `+rows+`), 0)
		FROM sharing LEFT JOIN turns USING (user_id)
		ORDER BY sharing.user_id`, userID)
}

// waitingTasks returns those of the tasks with the IDs that the person has waiting to be
// sent. It counts what comes before the first of them, and between each and the next.
func waitingTasks(tx *engine.Tx, userID int64, ids []int64) []schedule.WaitingTask {
	if len(ids) == 0 {
		return nil
	}
	waiting := engine.All(tx, engine.ScanFields(func(t *schedule.WaitingTask) []any {
		return []any{&t.ID, &t.UserID, &t.IsRow, &t.Before}
	}), `
		SELECT w.id, w.user_id, w.bulk, (
			SELECT count(*) FROM tasks WHERE `+sendable+` AND user_id = $1 AND bulk = w.bulk AND id >= w.previous AND id < w.id)
		FROM (
			SELECT id, user_id, bulk, coalesce(lag(id) OVER (PARTITION BY bulk ORDER BY id), 0) AS previous
			FROM tasks WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($2)) AND user_id = $1 AND `+sendable+`
		) w
		ORDER BY w.id`, userID, engine.Listed(ids))
	before := map[bool]int{}
	for i := range waiting {
		t := &waiting[i]
		before[t.IsRow] += t.Before
		t.Before = before[t.IsRow]
	}
	return waiting
}

// pace returns how fast videos with the person's key end.
func pace(tx *engine.Tx, userID int64, now time.Time) schedule.KeyPace {
	return schedule.KeyPaceOf(engine.All(tx, engine.ScanFields(func(at *time.Time) []any { return []any{(*engine.Instant)(at)} }), `
		SELECT done_at FROM tasks
		WHERE service_id = `+schema.CurrentService+` AND making_at IS NOT NULL AND done_at IS NOT NULL AND done_at > $2
			AND key_id = (SELECT team_key_id FROM keys_in_use WHERE user_id = $1) AND (key_id > 0 OR payer = $1)
		ORDER BY done_at DESC LIMIT $3 + 0`, userID, engine.Instant(now.Add(-schedule.PaceOver)), paceVideos))
}

// itsService is an expression for the service whose ID is $1 or, if that is 0, for the one
// that the team uses.
const itsService = `coalesce(nullif(CAST($1 AS BIGINT), 0), ` + schema.CurrentService + `)`

// Usual returns the range of times, from the start of making to completion, that the middle
// half of the last 50 videos of the same kind took. A kind is a combination of model, scene,
// duration, resolution and service: that of the task or, if it names none, the one that the
// team uses.
func (s *Tasks) Usual(ctx context.Context, t db.Task) (schedule.Usual, error) {
	look := s.db.Reading(ctx)
	took := took(look, 50, t)
	return schedule.Usual{Count: len(took), Low: percentile(took, 25), High: percentile(took, 75)},
		engine.About("usual time of "+t.Model, look.Err())
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
			`+engine.EachOf(newestOfKind)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)`, t.ServiceID, t.Model, t.Scene,
		o.Duration, o.Resolution, audio(o), ordering.NewestCharges)
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
