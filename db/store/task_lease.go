package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
)

// Renew extends the owner's lease of the task to the time until. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Store) Renew(ctx context.Context, owner string, id int64, until time.Time) error {
	return about("lease of "+task(id), held(s.writes.ExecContext(ctx, `
		UPDATE tasks SET leased_until = $1
		WHERE id = $2 AND leased_by = $3 AND leased_until IS NOT NULL`, instant(until), id, owner)))
}

// EndLease ends the owner's lease of the task, if the owner holds it, unless the task
// is being sent.
func (s *Store) EndLease(ctx context.Context, owner string, id int64) error {
	_, err := s.writes.ExecContext(ctx, `
		UPDATE tasks SET leased_by = '', leased_until = NULL
		WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL AND state <> 'sending'`, id, owner)
	return about("lease of "+task(id), err)
}

// Recover settles, before the first Claim, what processes that are gone have left
// unfinished: their leases end, and every task that they were sending becomes
// unconfirmed, except for those in answered, whose answer is known and still has to be
// stored. It returns the tasks that became unconfirmed.
func (s *Store) Recover(ctx context.Context, now time.Time, answered ...int64) (lost []db.Task, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		others, err := s.others(ctx, tx)
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`UPDATE tasks SET leased_by = CASE WHEN state = 'sending' THEN leased_by ELSE '' END, leased_until = NULL
				WHERE leased_until IS NOT NULL AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
			`DELETE FROM create_calls WHERE process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
		} {
			if _, err := tx.ExecContext(ctx, statement, others); err != nil {
				return err
			}
		}
		if err := s.endJobs(ctx, tx, others); err != nil {
			return err
		}
		lost, err = loadSelected(ctx, tx, `
			SELECT id FROM tasks INDEXED BY tasks_sending
			WHERE state = 'sending' AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
			ORDER BY id + 0`, others, listed(answered))
		if err != nil {
			return err
		}
		return s.lose(ctx, tx, lost, now)
	})
	return lost, about("tasks that were being sent", err)
}

// endJobs ends the jobs of processes that are gone. It spares those of this process,
// whose requests may have begun some already.
func (s *Store) endJobs(ctx context.Context, tx *sql.Tx, others any) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM jobs WHERE NOT EXISTS (
			SELECT 1 FROM (SELECT CAST(value AS TEXT) AS name FROM json_each($1) UNION SELECT CAST($2 AS TEXT)) live
			WHERE jobs.leased_by = live.name OR jobs.leased_by LIKE live.name || ' %')`, others, s.Process())
	return err
}

// others returns the names of the other processes that are not gone, as a JSON array.
func (s *Store) others(ctx context.Context, tx *sql.Tx) (any, error) {
	others, err := s.engine.Others(ctx, tx)
	names := []string{}
	for _, p := range others {
		names = append(names, p.Name)
	}
	return asJSON(&names), err
}

// lose marks the tasks, which were being sent, as unconfirmed, and changes them in the
// slice too.
func (s *Store) lose(ctx context.Context, tx *sql.Tx, tasks []db.Task, now time.Time) error {
	for i := range tasks {
		t, before := &tasks[i], tasks[i]
		if err := t.Lose("Dailies was stopped while it was sending this.", now); err != nil {
			return err
		}
		if err := s.saveTask(ctx, tx, before, t); err != nil {
			return err
		}
		if err := endCall(ctx, tx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// A Stuck counts what Unstick has corrected, which would have waited for ever, or far
// too long.
type Stuck struct {
	Early  int       // work that was scheduled too far ahead, and is due now
	Leases int       // leases that were too long
	Lost   []db.Task // tasks that were marked as being sent, but that no process is sending
}

// Unstick corrects what a wrong clock, or a process that ended, has left behind. A task
// that is scheduled more than longest after now becomes due now, and so does a webhook
// notice, a mail or a thumbnail that is scheduled too far ahead. A lease on a task or a
// notice that would last longer than lease from now is shortened, and so is one on a
// mail or a job that would last longer than longest. A task that was being sent under
// an expired lease becomes unconfirmed, unless the owner still works on it, which held
// lists, or another process that is not gone has it. Expired jobs are deleted.
//
// It writes only if a look at the indexes has found something, because a write holds up
// all others.
func (s *Store) Unstick(ctx context.Context, owner string, now time.Time, longest, lease time.Duration, held []int64) (Stuck, error) {
	var found Stuck
	if is, err := s.isStuck(ctx, owner, now, longest, lease, held); err != nil || !is {
		return found, about("what is stuck", err)
	}
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if found.Early, err = makeDue(ctx, tx, now, longest); err != nil {
			return err
		}
		if found.Leases, err = shorten(ctx, tx, now, longest, lease); err != nil {
			return err
		}
		others, err := s.others(ctx, tx)
		if err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `DELETE FROM create_calls WHERE `+unmade, others, owner, listed(held)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM jobs WHERE leased_until <= $1`, instant(now)); err != nil {
			return err
		}
		found.Lost, err = loadSelected(ctx, tx, unsent+` ORDER BY id + 0`, instant(now), others, listed(held))
		if err != nil {
			return err
		}
		return s.lose(ctx, tx, found.Lost, now)
	})
	return found, about("what is stuck", err)
}

// unmade is the condition for the create calls that no process is making: neither one of
// the others in $1, nor the process $2, which makes those of the tasks in $3.
const unmade = `
	process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
	AND NOT (process = $2 AND task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($3)))`

// unsent selects the tasks that are marked as being sent, but that no process is
// sending at the time $1: neither one of the others in $2, nor this one, which sends
// those in $3.
const unsent = `
	SELECT id FROM tasks INDEXED BY tasks_sending
	WHERE state = 'sending' AND (leased_until IS NULL OR leased_until <= $1)
		AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($2))
		AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($3))`

// isStuck reports whether Unstick may have something to correct.
func (s *Store) isStuck(ctx context.Context, owner string, now time.Time, longest, lease time.Duration, held []int64) (is bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		others, err := s.others(ctx, tx)
		if err != nil {
			return err
		}
		for _, look := range []struct {
			query string
			args  []any
		}{
			{`SELECT 1 FROM tasks WHERE state = 'queued' AND next_at > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM tasks WHERE state IN ('pending', 'processing') AND next_at > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM tasks WHERE keeping = 'saving' AND next_at > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM mails WHERE next_at > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM media WHERE thumb_due > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM deliveries WHERE next_at > $1`, []any{instant(now.Add(time.Minute))}},
			{`SELECT 1 FROM tasks WHERE leased_until > $1`, []any{instant(now.Add(lease))}},
			{`SELECT 1 FROM deliveries WHERE leased_until > $1`, []any{instant(now.Add(lease))}},
			{`SELECT 1 FROM mails WHERE leased_until > $1`, []any{instant(now.Add(longest))}},
			{`SELECT 1 FROM jobs WHERE leased_until > $1 OR leased_until <= $2`, []any{instant(now.Add(longest)), instant(now)}},
			{`SELECT 1 FROM create_calls WHERE ` + unmade, []any{others, owner, listed(held)}},
			{unsent, []any{instant(now), others, listed(held)}},
		} {
			if err := tx.QueryRowContext(ctx, `SELECT EXISTS (`+look.query+`)`, look.args...).Scan(&is); err != nil || is {
				return err
			}
		}
		return nil
	})
	return is, err
}

// makeDue makes tasks, notices, mails and thumbnails due now that are scheduled too far
// ahead, and returns how many.
func makeDue(ctx context.Context, tx *sql.Tx, now time.Time, longest time.Duration) (n int, err error) {
	for _, update := range []string{
		`UPDATE tasks SET next_at = $1 WHERE state = 'queued' AND next_at > $2`,
		`UPDATE tasks SET next_at = $1 WHERE state IN ('pending', 'processing') AND next_at > $2`,
		`UPDATE tasks SET next_at = $1 WHERE keeping = 'saving' AND next_at > $2`,
		`UPDATE mails SET next_at = $1 WHERE next_at > $2`,
		`UPDATE media SET thumb_due = $1 WHERE thumb_due > $2`,
	} {
		if err := counted(&n)(tx.ExecContext(ctx, update, instant(now), instant(now.Add(longest)))); err != nil {
			return n, err
		}
	}
	notices, err := all(ctx, tx, scanDelivery, `
		SELECT `+deliveryColumns+` FROM deliveries WHERE next_at > $1`, instant(now.Add(time.Minute)))
	if err != nil {
		return n, err
	}
	for _, d := range notices {
		if !d.TooFarAhead(now) {
			continue
		}
		if err := counted(&n)(tx.ExecContext(ctx, `UPDATE deliveries SET next_at = $1 WHERE id = $2`, instant(now), d.ID)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// shorten shortens leases on tasks and notices that would last longer than lease from
// now, and those on mails and jobs, which may be longer, that would last longer than
// longest. It returns how many.
func shorten(ctx context.Context, tx *sql.Tx, now time.Time, longest, lease time.Duration) (n int, err error) {
	for _, l := range []struct {
		table string
		most  time.Duration
	}{{"tasks", lease}, {"deliveries", lease}, {"mails", longest}, {"jobs", longest}} {
		if err := counted(&n)(tx.ExecContext(ctx, `
			UPDATE `+l.table+` SET leased_until = $1 WHERE leased_until > $2`, instant(now.Add(lease)), instant(now.Add(l.most)))); err != nil {
			return n, err
		}
	}
	return n, nil
}

// counted returns a function that adds the number of rows that a statement has changed
// to n.
func counted(n *int) func(sql.Result, error) error {
	return func(result sql.Result, err error) error {
		if err != nil {
			return err
		}
		rows, err := result.RowsAffected()
		*n += int(rows)
		return err
	}
}

// NewOwner returns an owner of jobs that no other goroutine uses. Its jobs end when
// this process is gone.
func (s *Store) NewOwner() string { return s.Process() + " " + db.NewToken() }

// TakeJob leases the job, which only one owner may do at a time, to the owner until the
// time until, and reports whether the owner has it now. The owner is the name of this
// process, or a NewOwner. A further call renews the lease.
func (s *Store) TakeJob(ctx context.Context, name, owner string, now, until time.Time) (mine bool, err error) {
	err = held(s.writes.ExecContext(ctx, `
		INSERT INTO jobs (name, leased_by, leased_until) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
		WHERE jobs.leased_by = excluded.leased_by OR jobs.leased_until <= $4`, name, owner, instant(until), instant(now)))
	if errors.Is(err, db.ErrConflict) {
		return false, nil
	}
	return err == nil, about("job "+name, err)
}

// EndJob ends the owner's lease of the job, so that another owner may take it.
func (s *Store) EndJob(ctx context.Context, name, owner string) error {
	_, err := s.writes.ExecContext(ctx, `DELETE FROM jobs WHERE name = $1 AND leased_by = $2`, name, owner)
	return about("job "+name, err)
}

// Work counts the work of all processes at the time now. It reads few rows, from
// indexes, and counts the queue up to db.MostWork.
func (s *Store) Work(ctx context.Context, now time.Time) (w db.Work, err error) {
	w.Leases = map[string]db.Leases{}
	err = s.read(ctx, func(tx *sql.Tx) error {
		var due instant
		err := tx.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE state = 'queued' LIMIT $2 + 0) waiting), (
				SELECT next_at FROM tasks
				WHERE state IN ('pending', 'processing') AND next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
				ORDER BY next_at LIMIT 1)`, instant(now), db.MostWork).Scan(&w.Queued, &due)
		if err != nil {
			return err
		}
		if at := time.Time(due); !at.IsZero() {
			w.OldestDue = now.Sub(at)
		}
		var mail instant
		if err := tx.QueryRowContext(ctx, `
			SELECT count(*), min(CASE WHEN next_at <= $1 THEN next_at END) FROM mails WHERE next_at IS NOT NULL`,
			instant(now)).Scan(&w.Mails, &mail); err != nil {
			return err
		}
		if at := time.Time(mail); !at.IsZero() {
			w.DueMail = now.Sub(at)
		}
		for kind, table := range map[string]string{"task": "tasks", "notice": "deliveries", "mail": "mails", "job": "jobs"} {
			var l db.Leases
			if err := tx.QueryRowContext(ctx, `
				SELECT coalesce(sum(CASE WHEN leased_until > $1 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN leased_until > $1 THEN 0 ELSE 1 END), 0)
				FROM `+table+` WHERE leased_until IS NOT NULL`, instant(now)).Scan(&l.Held, &l.Overdue); err != nil {
				return err
			}
			w.Leases[kind] = l
		}
		if err := countTotals(ctx, tx, &w); err != nil {
			return err
		}
		others, err := s.engine.Others(ctx, tx)
		w.Processes = 1 + len(others)
		return err
	})
	return w, about("work of the processes", err)
}

// countTotals adds what the totals say, and the unconfirmed tasks, which have an index
// of their own: neither takes longer when there are many tasks.
func countTotals(ctx context.Context, tx *sql.Tx, w *db.Work) error {
	var paid amount
	err := tx.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM tasks WHERE state = 'unconfirmed' AND decided_at IS NULL),
			(SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM kept_bytes),
			CAST(coalesce(sum(paid), 0) AS BIGINT),
			CAST(coalesce(sum(CASE WHEN outcome IN ('failed', 'canceled', 'rejected') THEN tasks ELSE 0 END), 0) AS BIGINT)
		FROM usage_months`).Scan(&w.Unconfirmed, &w.KeptBytes, &paid, &w.Failed)
	w.Paid = float64(paid)
	return err
}

// Processes counts the processes that work on the database now: this one, and others
// that have not missed their heartbeats.
func (s *Store) Processes(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		others, err := s.engine.Others(ctx, tx)
		for _, p := range others {
			if p.GoneAt.IsZero() {
				n++
			}
		}
		return err
	})
	return n + 1, about("processes", err)
}

// Pools returns the state of this process's connections to the database.
func (s *Store) Pools() (reads, writes sql.DBStats) { return s.reads.Stats(), s.writes.Stats() }
