package video

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Claim leases tasks that are due to the owner, until the time until. Of each kind of
// work it takes at most as many as free has room for. Create calls come first, because
// users wait for them, followed by the tasks that have been due longest. If more queries
// are due than there is room for, people take turns (see schedule.Turns), so that a single
// video is not held up by the thousands of somebody else.
//
// The create calls with one key are sent one after another: a queued task is left alone
// while another one with the same key is being sent or is leased to be sent, even while
// an abandoned create call still hangs, and of each key only one is claimed. People who
// share a key take turns, so that one person's many videos do not hold up another's.
// Of one person's tasks, single videos come before the rows of a batch (see schedule.MostPassing).
// The account of a person without a key counts as a key of its own.
//
// Tasks that have to wait for the price of another one are left alone, too: see awaited.
func (s *Leases) Claim(ctx context.Context, owner string, now, until time.Time, free schedule.Capacity) ([]db.Task, error) {
	var tasks []db.Task
	if free.IsFull() {
		return nil, nil
	}
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		ids := append(due(tx, now, free), dueCopies(tx, now, free)...)
		if !tx.OK() || len(ids) == 0 {
			return
		}
		// An expired lease may have been renewed since the query above.
		taken := engine.All(tx, engine.ScanValue[int64], `
			UPDATE tasks SET leased_by = $1, leased_until = $2
			WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($3)) AND (leased_until IS NULL OR leased_until <= $4)
			RETURNING id`, owner, engine.Instant(until), engine.AsJSON(&ids), engine.Instant(now))
		ids = slices.DeleteFunc(ids, func(id int64) bool { return !slices.Contains(taken, id) })
		tasks = loadTasks(tx, ids)
		countTurns(tx, tasks)
	})
	return tasks, engine.About("due tasks", err)
}

// countTurns records that the makers of those tasks that are to be sent have had their
// turn, and how many of their single videos in a row have passed rows of a batch.
func countTurns(tx *engine.Tx, tasks []db.Task) {
	for _, t := range tasks {
		if t.State != db.Queued {
			continue
		}
		tx.Exec(`
			INSERT INTO turns (user_id, turn, passed)
			SELECT CAST($1 AS BIGINT), (SELECT coalesce(max(turn), 0) + 1 FROM turns),
				CASE WHEN CAST($2 AS BIGINT) = 0 AND EXISTS (SELECT 1 FROM tasks WHERE `+sendable+` AND user_id = $1 AND bulk = 1) THEN 1 ELSE 0 END
			WHERE true
			ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn, passed = CASE WHEN excluded.passed = 0 THEN 0 ELSE turns.passed + 1 END`,
			t.UserID, t.Bulk)
	}
}

// sendable is the condition for tasks that wait to be sent to the service that the team
// uses. Those for another one wait until their makers have decided about them.
const sendable = `state = 'queued' AND service_id = ` + kit.SendingService

// waiting begins a query with two tables: waiting has the people who have queued tasks that can be sent,
// and lane the name of the key with which each person's tasks are to be sent. It jumps
// from person to person, so that the time does not depend on how many tasks they have.
// For the same reason the queries look up leased tasks in the index of all leases, of
// which there are few.
const waiting = `
	WITH RECURSIVE
	waiting (user_id) AS (
		SELECT min(user_id) FROM tasks WHERE ` + sendable + `
		UNION ALL
		SELECT (SELECT min(user_id) FROM tasks WHERE ` + sendable + ` AND user_id > waiting.user_id)
		FROM waiting WHERE user_id IS NOT NULL
	),
	lane (user_id, name) AS MATERIALIZED (
		SELECT w.user_id, coalesce(
			(SELECT nullif(hex(k.fingerprint), '') FROM keys_in_use k WHERE k.user_id = w.user_id), 'user ' || w.user_id)
		FROM waiting w WHERE w.user_id IS NOT NULL
	),`

// due returns the tasks to send, and those to query the service about, for Claim.
func due(tx *engine.Tx, now time.Time, free schedule.Capacity) []int64 {
	send, ask := max(0, free.Send), max(0, free.Ask)
	found := dueFirst(tx, now, free.Held, send, ask)
	if !tx.OK() || ask == 0 {
		return found.send
	}
	if len(found.ask) > ask {
		found.ask = fairAsks(tx, now, free)
	}
	return append(found.send, found.ask...)
}

// firstDue begins a query for the first task of the person in the row lane that may be sent
// at the time $1.
const firstDue = `
	SELECT t.id FROM tasks t
	WHERE t.user_id = lane.user_id AND t.` + sendable + ` AND t.next_at <= $1
		AND (t.leased_until IS NULL OR t.leased_until <= $1) AND t.id NOT IN (SELECT id FROM held)
		AND ` + inTurn

// dueTasks are the IDs of due tasks, by kind of work.
type dueTasks struct{ send, ask []int64 }

// dueFirst returns the tasks to send, and those that have been due longest for a query:
// one more than ask, if there are as many. In its query, held has the tasks that the caller
// works on already, busy the names of the keys with which a task is being sent, first the
// first single video and the first row of a batch of each person whose key is not busy, and
// head the one of the two that is sent first.
func dueFirst(tx *engine.Tx, now time.Time, held []int64, send, ask int) (found dueTasks) {
	if ask > 0 {
		ask++
	}
	tx.Each(found.scan, waiting+awaited+`
		held (id) AS MATERIALIZED (SELECT CAST(value AS BIGINT) FROM json_each($4)),
		busy (name) AS MATERIALIZED (
			SELECT lane FROM create_calls
			UNION
			SELECT name FROM tasks INDEXED BY tasks_leased CROSS JOIN lane USING (user_id)
			WHERE state = 'queued' AND leased_until > $1
			UNION
			SELECT name FROM held JOIN tasks USING (id) JOIN lane USING (user_id) WHERE state = 'queued'
		),
		first (single, bulk, turn, passed, name) AS MATERIALIZED (
			SELECT (`+firstDue+` AND t.bulk = 0 ORDER BY t.id LIMIT 1), (`+firstDue+` AND t.bulk = 1 ORDER BY t.id LIMIT 1),
				coalesce(turn, 0), coalesce(passed, 0), name
			FROM lane LEFT JOIN turns USING (user_id)
			WHERE name NOT IN (SELECT name FROM busy) AND lane.user_id NOT IN (SELECT user_id FROM shut)
		),
		head (id, turn, name) AS (
			SELECT CASE WHEN single IS NULL OR bulk IS NOT NULL AND passed >= $5 THEN bulk ELSE single END, turn, name FROM first
		)
		SELECT id, 1 FROM (
			SELECT id, turn, row_number() OVER (PARTITION BY name ORDER BY turn, id) AS place
			FROM head WHERE id IS NOT NULL
			ORDER BY place, turn, id LIMIT $2 + 0
		) next WHERE place = 1
		UNION ALL
		SELECT id, 0 FROM (
			SELECT id FROM tasks
			WHERE state IN ('pending', 'processing') AND next_at <= $1
				AND (leased_until IS NULL OR leased_until <= $1) AND id NOT IN (SELECT id FROM held)
			ORDER BY next_at, id LIMIT $3 + 0
		) ask`, engine.Instant(now), send, ask, engine.Listed(held), schedule.MostPassing)
	return found
}

func (d *dueTasks) scan(rows *sql.Rows) error {
	var id int64
	var sends bool
	err := rows.Scan(&id, &sends)
	if sends {
		d.send = append(d.send, id)
	} else {
		d.ask = append(d.ask, id)
	}
	return err
}

// NextDue returns the earliest time at which there may be something to claim for which
// free has room, or the zero time if nothing is waiting. It ignores queued tasks that
// wait for another one with the same key, because they become due when that one has been
// sent, those that wait for the price of another one, because the answer that they wait for
// makes them due, and copies that free.Copies does not allow.
func (s *Leases) NextDue(ctx context.Context, free schedule.Capacity) (next time.Time, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		next = nextStep(tx, free)
		copyAt := nextCopy(tx, free)
		if tx.OK() && (next.IsZero() || !copyAt.IsZero() && copyAt.Before(next)) {
			next = copyAt
		}
	})
	return next, engine.About("next due task", err)
}

// nextStep is like NextDue, without copies of finished videos.
func nextStep(tx *engine.Tx, free schedule.Capacity) time.Time {
	var at engine.Instant
	tx.Row(waiting+awaited+`
		busy (name) AS (
			SELECT lane FROM create_calls
			UNION
			SELECT name FROM tasks INDEXED BY tasks_leased CROSS JOIN lane USING (user_id)
			WHERE state = 'queued' AND leased_until IS NOT NULL
		)
		SELECT min(at) FROM (
			SELECT min((
				SELECT min(t.next_at) FROM tasks t
				WHERE t.user_id = lane.user_id AND t.`+sendable+` AND t.leased_until IS NULL AND `+inTurn+`)) AS at
			FROM lane WHERE $1 > 0 AND name NOT IN (SELECT name FROM busy) AND user_id NOT IN (SELECT user_id FROM shut)
			UNION ALL
			SELECT at FROM (
				SELECT next_at AS at FROM tasks
				WHERE $2 > 0 AND state IN ('pending', 'processing') AND next_at IS NOT NULL AND leased_until IS NULL
				ORDER BY next_at LIMIT 1) ask
			UNION ALL
			SELECT min(CASE WHEN next_at > leased_until THEN next_at ELSE leased_until END) FROM tasks
			WHERE leased_until IS NOT NULL AND next_at IS NOT NULL
		) step`, free.Send, free.Ask).Scan(&at)
	return time.Time(at)
}
