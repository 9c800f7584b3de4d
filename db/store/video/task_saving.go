package video

import (
	"slices"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
)

// tooFar is longer than any delay of a copy: a time further ahead was written by a
// wrong clock.
const tooFar = 2 * time.Hour

// dueCopies returns the videos to copy now, as free.Copies chooses them.
func dueCopies(tx *engine.Tx, now time.Time, free schedule.Capacity) []int64 {
	if free.Keep <= 0 {
		return nil
	}
	found := copyJobs(tx, now, free)
	due := slices.DeleteFunc(found, func(j schedule.CopyJob) bool { return j.Due.After(now) && !j.Due.After(now.Add(tooFar)) })
	var ids []int64
	for _, j := range free.Copies.Choose(due, free.Keep) {
		ids = append(ids, j.TaskID)
	}
	return ids
}

// nextCopy returns when the next copy is due that is not held up by others, or the zero
// time.
func nextCopy(tx *engine.Tx, free schedule.Capacity) (next time.Time) {
	if free.Keep <= 0 {
		return next
	}
	for _, j := range copyJobs(tx, time.UnixMilli(0), free) { // leaves out those with expired leases, too
		if free.Copies.Allows(j, free.Keep) && (next.IsZero() || j.Due.Before(next)) {
			next = j.Due
		}
	}
	return next
}

// copyJobs returns the first copies of each person and host that wait, and that the
// worker pool does not hold, in the order in which they are due. It jumps from one host
// to the next, so that the time does not depend on how many wait for one host.
func copyJobs(tx *engine.Tx, now time.Time, free schedule.Capacity) []schedule.CopyJob {
	return engine.All(tx, engine.ScanFields(copyJobFields), `
		WITH RECURSIVE lane (user_id, host) AS (
			SELECT user_id, copy_host FROM (
				SELECT user_id, copy_host FROM tasks WHERE keeping = 'saving' ORDER BY user_id, copy_host LIMIT 1) first
			UNION ALL
			SELECT t.user_id, t.copy_host
			FROM lane JOIN tasks t ON t.id = (
				SELECT id FROM tasks
				WHERE keeping = 'saving' AND (user_id, copy_host) > (lane.user_id + 0, lane.host || '')
				ORDER BY user_id, copy_host LIMIT 1)
		)
		SELECT t.id, t.user_id, t.copy_host, t.next_at
		FROM lane, `+engine.EachOf(`
			SELECT id FROM tasks
			WHERE keeping = 'saving' AND user_id = lane.user_id AND copy_host = lane.host
				AND next_at IS NOT NULL AND (leased_until IS NULL OR leased_until <= $1)
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
			ORDER BY next_at, id LIMIT $3 + 0`)+` JOIN tasks t ON t.id = CAST(listed.value AS BIGINT)
		ORDER BY t.next_at, t.id`, engine.Instant(now), engine.Listed(free.Held), min(free.Keep, schedule.CopiesPerMaker))
}

func copyJobFields(j *schedule.CopyJob) []any {
	return []any{&j.TaskID, &j.UserID, &j.Host, (*engine.Instant)(&j.Due)}
}
