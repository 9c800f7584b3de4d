package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
)

// A saving is a finished video whose files wait to be copied, or are.
type saving struct {
	id, user int64
	host     string
	next     time.Time
	leased   bool
}

// tooFar is further ahead than anything is put off: a time beyond it was
// written under a wrong clock.
const tooFar = 2 * time.Hour

// dueSavings returns as many videos to be copied now as there is room for, the
// one that is due longest first: at most db.CopiesPerHost from one host and db.CopiesPerMaker
// for one person are under way at the same time, those of other processes
// included.
func dueSavings(ctx context.Context, tx *sql.Tx, now time.Time, free db.Capacity) ([]int64, error) {
	if free.Keep <= 0 {
		return nil, nil
	}
	found, err := savings(ctx, tx, now)
	for i := range found {
		if slices.Contains(free.Held, found[i].id) {
			found[i].leased = true // under way, although its lease has run out
		}
	}
	var ids []int64
	for _, s := range unhindered(found) {
		if len(ids) < free.Keep && (!s.next.After(now) || s.next.After(now.Add(tooFar))) {
			ids = append(ids, s.id)
		}
	}
	return ids, err
}

// nextSaving returns when the next copy is due that is not held up by copies
// under way, or the zero time.
func nextSaving(ctx context.Context, tx *sql.Tx) (next time.Time, err error) {
	found, err := savings(ctx, tx, time.UnixMilli(0)) // every lease counts, ended or not
	for _, s := range unhindered(found) {
		if next.IsZero() || s.next.Before(next) {
			next = s.next
		}
	}
	return next, err
}

// unhindered returns those of the waiting ones that can all be copied beside
// those under way.
func unhindered(found []saving) (free []saving) {
	hosts, makers := map[string]int{}, map[int64]int{}
	for _, s := range found {
		if s.leased {
			hosts[s.host]++
			makers[s.user]++
		}
	}
	for _, s := range found {
		if s.leased || hosts[s.host] >= db.CopiesPerHost || makers[s.user] >= db.CopiesPerMaker {
			continue
		}
		hosts[s.host]++
		makers[s.user]++
		free = append(free, s)
	}
	return free
}

// savings returns all copies under way and, of those that wait, the first ones
// of each person and host, in the order in which they are due. However many
// wait for one host, it steps over them.
func savings(ctx context.Context, tx *sql.Tx, now time.Time) ([]saving, error) {
	return all(ctx, tx, scanSaving, `
		WITH RECURSIVE lane (user_id, host) AS (
			SELECT user_id, copy_host FROM (
				SELECT user_id, copy_host FROM tasks WHERE keeping = 'saving' ORDER BY user_id, copy_host LIMIT 1) first
			UNION ALL
			SELECT t.user_id, t.copy_host
			FROM lane JOIN tasks t ON t.id = (
				SELECT id FROM tasks
				WHERE keeping = 'saving' AND (user_id, copy_host) > (lane.user_id, lane.host)
				ORDER BY user_id, copy_host LIMIT 1)
		)
		SELECT id, user_id, copy_host, next_at, 1 FROM tasks
		WHERE leased_until > $1 AND keeping = 'saving'
		UNION ALL
		SELECT * FROM (
			SELECT t.id, t.user_id, t.copy_host, t.next_at, 0
			FROM lane, `+eachOf(`
				SELECT id FROM tasks
				WHERE keeping = 'saving' AND user_id = lane.user_id AND copy_host = lane.host
					AND next_at IS NOT NULL AND (leased_until IS NULL OR leased_until <= $1)
				ORDER BY next_at, id LIMIT $2 + 0`)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)
			ORDER BY t.next_at, t.id) waiting`, instant(now), db.CopiesPerHost)
}

func scanSaving(rows *sql.Rows) (s saving, err error) {
	err = rows.Scan(&s.id, &s.user, &s.host, (*instant)(&s.next), &s.leased)
	return s, err
}
