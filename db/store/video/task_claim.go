package video

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
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
const sendable = `state = 'queued' AND service_id = ` + schema.SendingService

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
	send, query := max(0, free.Send), max(0, free.Query)
	found := dueFirst(tx, now, free.Held, send, query)
	if !tx.OK() || query == 0 {
		return found.send
	}
	if len(found.query) > query {
		found.query = fairQueries(tx, now, free)
	}
	return append(found.send, found.query...)
}

// firstDue begins a query for the first task of the person in the row lane that may be sent
// at the time $1.
const firstDue = `
	SELECT t.id FROM tasks t
	WHERE t.user_id = lane.user_id AND t.` + sendable + ` AND t.next_at <= $1
		AND (t.leased_until IS NULL OR t.leased_until <= $1) AND t.id NOT IN (SELECT id FROM held)
		AND ` + inTurn

// dueTasks are the IDs of due tasks, by kind of work.
type dueTasks struct{ send, query []int64 }

// dueFirst returns the tasks to send, and those that have been due longest for a query:
// one more than ask, if there are as many. In its query, held has the tasks that the caller
// works on already, busy the names of the keys with which a task is being sent, first the
// first single video and the first row of a batch of each person whose key is not busy, and
// head the one of the two that is sent first.
func dueFirst(tx *engine.Tx, now time.Time, held []int64, send, query int) (found dueTasks) {
	if query > 0 {
		query++
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
		) ask`, engine.Instant(now), send, query, engine.Listed(held), schedule.MostPassing)
	return found
}

func (d *dueTasks) scan(rows *sql.Rows) error {
	var id int64
	var sends bool
	err := rows.Scan(&id, &sends)
	if sends {
		d.send = append(d.send, id)
	} else {
		d.query = append(d.query, id)
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
		) step`, free.Send, free.Query).Scan(&at)
	return time.Time(at)
}

// Leases stores which process works on which task or job.
type Leases struct {
	db    *teamdb.DB
	tasks *Tasks
}

// Renew extends the owner's lease of the task to the time until. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Leases) Renew(ctx context.Context, owner string, id int64, until time.Time) error {
	return engine.About("lease of "+engine.Task(id), s.db.ExecOr(ctx, db.ErrConflict, `
		UPDATE tasks SET leased_until = $1
		WHERE id = $2 AND leased_by = $3 AND leased_until IS NOT NULL`, engine.Instant(until), id, owner))
}

// EndLease ends the owner's lease of the task, if the owner holds it, unless the task
// is being sent.
func (s *Leases) EndLease(ctx context.Context, owner string, id int64) error {
	_, err := s.db.Exec(ctx, `
		UPDATE tasks SET leased_by = '', leased_until = NULL
		WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL AND state <> 'sending'`, id, owner)
	return engine.About("lease of "+engine.Task(id), err)
}

// Recover settles, before the first Claim, what processes that are gone have left
// unfinished: their leases end, and every task that they were sending becomes
// unconfirmed, except for those in answered, whose answer is known and still has to be
// stored. It returns the tasks that became unconfirmed.
func (s *Leases) Recover(ctx context.Context, now time.Time, answered ...int64) (lost []db.Task, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		others := s.Others(tx)
		for _, statement := range []string{
			`UPDATE tasks SET leased_by = CASE WHEN state = 'sending' THEN leased_by ELSE '' END, leased_until = NULL
				WHERE leased_until IS NOT NULL AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
			`DELETE FROM create_calls WHERE process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
		} {
			tx.Exec(statement, others)
		}
		s.endJobs(tx, others)
		lost = LoadSelected(tx, `
			SELECT id FROM tasks INDEXED BY tasks_sending
			WHERE state = 'sending' AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
			ORDER BY id + 0`, others, engine.Listed(answered))
		s.tasks.Lose(tx, lost, now)
	})
	return lost, engine.About("tasks that were being sent", err)
}

// Others returns the names of the other processes that are not gone, as a JSON array.
func (s *Leases) Others(tx *engine.Tx) any {
	names := []string{}
	for _, p := range s.db.Others(tx) {
		names = append(names, p.Name)
	}
	return engine.AsJSON(&names)
}

// endJobs ends the jobs of processes that are gone. It spares those of this process,
// whose requests may have begun some already.
func (s *Leases) endJobs(tx *engine.Tx, others any) {
	tx.Exec(`
		DELETE FROM jobs WHERE NOT EXISTS (
			SELECT 1 FROM (SELECT CAST(value AS TEXT) AS name FROM json_each($1) UNION SELECT CAST($2 AS TEXT)) live
			WHERE jobs.leased_by = live.name OR jobs.leased_by LIKE live.name || ' %')`, others, s.db.Process())
}

// NewOwner returns an owner of jobs that no other goroutine uses. Its jobs end when
// this process is gone.
func (s *Leases) NewOwner() string { return s.db.Process() + " " + secrets.NewToken() }

// TakeJob leases the job, which only one owner may do at a time, to the owner until the
// time until, and reports whether the owner has it now. The owner is the name of this
// process, or a NewOwner. A further call renews the lease.
func (s *Leases) TakeJob(ctx context.Context, name, owner string, now, until time.Time) (mine bool, err error) {
	taken, err := s.db.Exec(ctx, `
		INSERT INTO jobs (name, leased_by, leased_until) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
		WHERE jobs.leased_by = excluded.leased_by OR jobs.leased_until <= $4`, name, owner, engine.Instant(until), engine.Instant(now))
	return taken > 0, engine.About("job "+name, err)
}

// EndJob ends the owner's lease of the job, so that another owner may take it.
func (s *Leases) EndJob(ctx context.Context, name, owner string) error {
	_, err := s.db.Exec(ctx, `DELETE FROM jobs WHERE name = $1 AND leased_by = $2`, name, owner)
	return engine.About("job "+name, err)
}

// fairQueries returns the tasks to query the service about when more are due than free has
// room for: people, and the keys of each, take turns.
func fairQueries(tx *engine.Tx, now time.Time, free schedule.Capacity) []int64 {
	turns := free.Turns
	if turns == nil {
		turns = &schedule.Turns{}
	}
	// Of each person and key, as many are read as are likely to be chosen.
	each := min(free.Query, 2+2*free.Query/max(1, turns.People))
	due := queryJobs(tx, now, free, turns.Last+1, math.MaxInt64, each)
	if tx.OK() && len(due) < enoughQueries*free.Query {
		due = append(due, queryJobs(tx, now, free, 0, turns.Last, each)...)
	}
	return turns.Choose(due, free.Query)
}

// enoughQueries bounds how many due tasks are read for each one that is chosen.
const enoughQueries = 4

// queryJobs returns the first due tasks, at most each, of every key of the people with
// IDs from first to last, until there are enough. It jumps from key to key, so that the
// time does not depend on how many tasks somebody has. The comparison needs computed
// values, because with plain columns SQLite would read all tasks of a person.
func queryJobs(tx *engine.Tx, now time.Time, free schedule.Capacity, first, last int64, each int) []schedule.QueryJob {
	return engine.All(tx, engine.ScanFields(queryJobFields), `
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
		LIMIT $6 + 0`, first, last, engine.Instant(now), engine.Listed(free.Held), each, enoughQueries*free.Query)
}

func queryJobFields(j *schedule.QueryJob) []any { return []any{&j.TaskID, &j.UserID, &j.KeyID} }

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
