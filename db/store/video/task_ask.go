package video

import (
	"math"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
)

// fairAsks returns the tasks to query the service about when more are due than free has
// room for: people, and the keys of each, take turns.
func fairAsks(tx *engine.Tx, now time.Time, free schedule.Capacity) []int64 {
	turns := free.Turns
	if turns == nil {
		turns = &schedule.Turns{}
	}
	// Of each person and key, as many are read as are likely to be chosen.
	each := min(free.Ask, 2+2*free.Ask/max(1, turns.People))
	due := askJobs(tx, now, free, turns.Last+1, math.MaxInt64, each)
	if tx.OK() && len(due) < enoughAsks*free.Ask {
		due = append(due, askJobs(tx, now, free, 0, turns.Last, each)...)
	}
	return turns.Choose(due, free.Ask)
}

// enoughAsks bounds how many due tasks are read for each one that is chosen.
const enoughAsks = 4

// askJobs returns the first due tasks, at most each, of every key of the people with
// IDs from first to last, until there are enough. It jumps from key to key, so that the
// time does not depend on how many tasks somebody has. The comparison needs computed
// values, because with plain columns SQLite would read all tasks of a person.
func askJobs(tx *engine.Tx, now time.Time, free schedule.Capacity, first, last int64, each int) []schedule.AskJob {
	return engine.All(tx, engine.ScanFields(askJobFields), `
		WITH RECURSIVE lane (user_id, key_id) AS (
			SELECT user_id, key_id FROM (
				SELECT user_id, key_id FROM tasks INDEXED BY tasks_ask_by_person
				WHERE state IN ('pending', 'processing') AND user_id >= $1 AND user_id <= $2
				ORDER BY user_id, key_id LIMIT 1) first
			UNION ALL
			SELECT t.user_id, t.key_id
			FROM lane JOIN tasks t ON t.id = (
				SELECT id FROM tasks INDEXED BY tasks_ask_by_person
				WHERE state IN ('pending', 'processing') AND (user_id, key_id) >= (lane.user_id + 0, lane.key_id + 1) AND user_id <= $2
				ORDER BY user_id, key_id LIMIT 1)
		)
		SELECT CAST(listed.value AS BIGINT), lane.user_id, lane.key_id
		FROM lane, `+engine.EachOf(`
			SELECT id FROM tasks INDEXED BY tasks_ask_by_person
			WHERE state IN ('pending', 'processing') AND user_id = lane.user_id AND key_id = lane.key_id
				AND next_at <= $3 AND (leased_until IS NULL OR leased_until <= $3)
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($4))
			ORDER BY next_at LIMIT $5 + 0`)+`
		LIMIT $6 + 0`, first, last, engine.Instant(now), engine.Listed(free.Held), each, enoughAsks*free.Ask)
}

func askJobFields(j *schedule.AskJob) []any { return []any{&j.TaskID, &j.UserID, &j.KeyID} }
