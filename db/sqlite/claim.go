package sqlite

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Claim leases to the owner, until the time, tasks that are due: of each kind at
// most what there is room for, and none that somebody else holds. Creates come
// first, because a person waits for them, then what has been due longest.
//
// Creates go out one after another per key: a queued task is left alone while
// another one of the same key is being sent or is leased to be sent, and of
// each key only the oldest is claimed. Where there is no key, the account
// stands for it.
func (s *Store) Claim(ctx context.Context, owner string, now, until time.Time, room db.Room) ([]db.Task, error) {
	var tasks []db.Task
	if room.Full() {
		return nil, nil
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		ids, err := due(ctx, tx, now, room)
		if err != nil {
			return err
		}
		savings, err := dueSavings(ctx, tx, now, room.Keep)
		if ids = append(ids, savings...); err != nil || len(ids) == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE tasks SET leased_by = ?, leased_until = ?
			WHERE id IN (SELECT value FROM json_each(?))`, owner, instant(until), asJSON(&ids))
		if err != nil {
			return err
		}
		tasks, err = loadTasks(ctx, tx, ids)
		return err
	})
	return tasks, about("due tasks", err)
}

func due(ctx context.Context, tx *sql.Tx, now time.Time, room db.Room) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, `
		WITH
		lane (user_id, name) AS (
			SELECT u.id, coalesce(nullif(hex(k.fingerprint), ''), 'user ' || u.id)
			FROM users u LEFT JOIN keys k ON k.user_id = u.id
		),
		busy (name) AS (
			SELECT name FROM tasks JOIN lane USING (user_id) WHERE state = 'sending'
			UNION
			SELECT name FROM tasks JOIN lane USING (user_id) WHERE state = 'queued' AND leased_until > ?1
		),
		head (id, name) AS MATERIALIZED (
			SELECT (
				SELECT t.id FROM tasks t
				WHERE t.user_id = lane.user_id AND t.state = 'queued' AND t.next_at <= ?1
					AND (t.leased_until IS NULL OR t.leased_until <= ?1)
				ORDER BY t.id LIMIT 1), name
			FROM lane WHERE name NOT IN busy
		)
		SELECT id FROM (
			SELECT min(id) AS id FROM head WHERE id IS NOT NULL GROUP BY name ORDER BY 1 LIMIT ?2 + 0
		)
		UNION ALL
		SELECT id FROM (
			SELECT id FROM tasks
			WHERE state IN ('pending', 'processing') AND next_at <= ?1
				AND (leased_until IS NULL OR leased_until <= ?1)
			ORDER BY next_at, id LIMIT ?3 + 0
		)`, instant(now), max(0, room.Send), max(0, room.Ask))
	return all(rows, err, scanID)
}

// loadTasks returns the tasks in the order of ids.
func loadTasks(ctx context.Context, tx *sql.Tx, ids []int64) ([]db.Task, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT `+taskColumns+`
		FROM json_each(?) wanted JOIN tasks t ON t.id = wanted.value JOIN users u ON u.id = t.user_id
		ORDER BY wanted.key`, asJSON(&ids))
	tasks, err := all(rows, err, scanTask)
	if err != nil {
		return nil, err
	}
	return tasks, withMedia(ctx, tx, tasks)
}

// NextDue returns the earliest time at which there may be something to claim,
// or the zero time if nothing waits. A queued task that waits for another one
// of its key does not count: its turn comes when that one has been sent. Nor
// does a video whose host or maker has as many copies under way as it may.
func (s *Store) NextDue(ctx context.Context) (next time.Time, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		if next, err = nextStep(ctx, tx); err != nil {
			return err
		}
		saving, err := nextSaving(ctx, tx)
		if next.IsZero() || !saving.IsZero() && saving.Before(next) {
			next = saving
		}
		return err
	})
	return next, about("next due task", err)
}

// nextStep is NextDue without the copies that can begin.
func nextStep(ctx context.Context, tx *sql.Tx) (time.Time, error) {
	var at instant
	err := tx.QueryRowContext(ctx, `
		WITH
		lane (user_id, name) AS (
			SELECT u.id, coalesce(nullif(hex(k.fingerprint), ''), 'user ' || u.id)
			FROM users u LEFT JOIN keys k ON k.user_id = u.id
		),
		busy (name) AS (
			SELECT name FROM tasks JOIN lane USING (user_id) WHERE state = 'sending'
			UNION
			SELECT name FROM tasks JOIN lane USING (user_id) WHERE state = 'queued' AND leased_until IS NOT NULL
		)
		SELECT min(at) FROM (
			SELECT min((
				SELECT min(t.next_at) FROM tasks t
				WHERE t.user_id = lane.user_id AND t.state = 'queued' AND t.leased_until IS NULL)) AS at
			FROM lane WHERE name NOT IN busy
			UNION ALL
			SELECT at FROM (
				SELECT next_at AS at FROM tasks
				WHERE state IN ('pending', 'processing') AND next_at IS NOT NULL AND leased_until IS NULL
				ORDER BY next_at LIMIT 1)
			UNION ALL
			SELECT min(max(next_at, leased_until)) FROM tasks
			WHERE leased_until IS NOT NULL AND next_at IS NOT NULL
		)`).Scan(&at)
	return time.Time(at), err
}

func scanID(rows *sql.Rows) (id int64, err error) {
	err = rows.Scan(&id)
	return id, err
}
