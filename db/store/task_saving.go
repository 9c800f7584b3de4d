package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
)

// A copyJob is a finished video whose files are being copied from the service, or wait
// for that.
type copyJob struct {
	id, user int64
	host     string
	next     time.Time
	leased   bool // the copy is under way
}

// tooFar is longer than any delay of a copy: a time further ahead was written by a
// wrong clock.
const tooFar = 2 * time.Hour

// dueCopies returns the videos to copy now, the one that has been due longest first, at
// most as many as free has room for. At most db.CopiesPerHost copies from one host, and
// db.CopiesPerMaker for one person, are under way at the same time, including those of
// other processes.
func dueCopies(ctx context.Context, tx *sql.Tx, now time.Time, free db.Capacity) ([]int64, error) {
	if free.Keep <= 0 {
		return nil, nil
	}
	found, err := copyJobs(ctx, tx, now)
	for i := range found {
		if slices.Contains(free.Held, found[i].id) {
			found[i].leased = true // under way, although its lease has run out
		}
	}
	var ids []int64
	for _, s := range startable(found) {
		if len(ids) < free.Keep && (!s.next.After(now) || s.next.After(now.Add(tooFar))) {
			ids = append(ids, s.id)
		}
	}
	return ids, err
}

// nextCopy returns when the next copy is due that is not held up by others, or the zero
// time.
func nextCopy(ctx context.Context, tx *sql.Tx) (next time.Time, err error) {
	found, err := copyJobs(ctx, tx, time.UnixMilli(0)) // counts expired leases, too
	for _, s := range startable(found) {
		if next.IsZero() || s.next.Before(next) {
			next = s.next
		}
	}
	return next, err
}

// startable returns the waiting copies that can start beside those that are under way.
func startable(found []copyJob) (free []copyJob) {
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

// copyJobs returns all copies under way and, of those that wait, the first ones of each
// person and host, in the order in which they are due. It jumps from one host to the
// next, so that the time does not depend on how many wait for one host.
func copyJobs(ctx context.Context, tx *sql.Tx, now time.Time) ([]copyJob, error) {
	return all(ctx, tx, scanCopyJob, `
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

func scanCopyJob(rows *sql.Rows) (s copyJob, err error) {
	err = rows.Scan(&s.id, &s.user, &s.host, (*instant)(&s.next), &s.leased)
	return s, err
}
