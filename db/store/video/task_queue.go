package video

import (
	"context"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
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
		WHERE service_id = `+kit.CurrentService+` AND making_at IS NOT NULL AND done_at IS NOT NULL AND done_at > $2
			AND key_id = (SELECT team_key_id FROM keys_in_use WHERE user_id = $1) AND (key_id > 0 OR payer = $1)
		ORDER BY done_at DESC LIMIT $3 + 0`, userID, engine.Instant(now.Add(-schedule.PaceOver)), paceVideos))
}
