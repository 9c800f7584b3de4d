package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Renew makes the owner's lease of the task last until the time. It is
// db.ErrConflict if the owner no longer holds it.
func (s *Store) Renew(ctx context.Context, owner string, id int64, until time.Time) error {
	return about("lease of "+task(id), held(s.writes.ExecContext(ctx, `
		UPDATE tasks SET leased_until = $1
		WHERE id = $2 AND leased_by = $3 AND leased_until IS NOT NULL`, instant(until), id, owner)))
}

// Recover settles, before the first Claim, what the program left when it was
// stopped: every lease ends, and every task that was being sent becomes
// unconfirmed, except for those whose answer is known and still has to be
// written down. It returns how many these were.
//
// That is right only because one process owns the file: nobody else can hold a
// lease or be sending. A store that several processes share has to let leases
// run out instead.
func (s *Store) Recover(ctx context.Context, now time.Time, answered ...int64) (lost int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE tasks SET leased_by = '', leased_until = NULL WHERE leased_until IS NOT NULL`)
		if err != nil {
			return err
		}
		tasks, err := loadSelected(ctx, tx, `SELECT id FROM tasks WHERE state = 'sending' AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`, listed(answered))
		if err != nil {
			return err
		}
		lost = len(tasks)
		return s.lose(ctx, tx, tasks, now)
	})
	return lost, about("tasks that were being sent", err)
}

func (s *Store) lose(ctx context.Context, tx *sql.Tx, tasks []db.Task, now time.Time) error {
	for _, t := range tasks {
		before := t
		if err := t.Lose("Dailies was stopped while it was sending this.", now); err != nil {
			return err
		}
		if err := s.saveTask(ctx, tx, before, &t); err != nil {
			return err
		}
	}
	return nil
}

// A Stuck is what Unstick found that would have waited for ever, or for far too
// long.
type Stuck struct {
	Early  int // times that lay further ahead than any pause, and are due now
	Leases int // leases that were longer than any lease
	Lost   int // tasks that were being sent, and that nobody sends
}

// Unstick puts right what a clock that was wrong, or a process that ended, has
// left behind. A task that is to be taken up later than the longest pause from
// now is due now, and so is a notice. A lease that lasts longer than one lease
// from now lasts so long. A task that is being sent under a lease that has run
// out, and that is not held, is unconfirmed.
func (s *Store) Unstick(ctx context.Context, now time.Time, longest, lease time.Duration, held []int64) (Stuck, error) {
	var found Stuck
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if found.Early, err = hurry(ctx, tx, now, longest); err != nil {
			return err
		}
		if found.Leases, err = shorten(ctx, tx, now, lease); err != nil {
			return err
		}
		tasks, err := loadSelected(ctx, tx, `
			SELECT id FROM tasks
			WHERE state = 'sending' AND (leased_until IS NULL OR leased_until <= $1)
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))`, instant(now), listed(held))
		if err != nil {
			return err
		}
		found.Lost = len(tasks)
		return s.lose(ctx, tx, tasks, now)
	})
	return found, about("what is stuck", err)
}

// hurry makes due now what lies too far ahead.
func hurry(ctx context.Context, tx *sql.Tx, now time.Time, longest time.Duration) (n int, err error) {
	for _, waits := range []string{`state = 'queued'`, `state IN ('pending', 'processing')`, `keeping = 'saving'`} {
		if err := counted(&n)(tx.ExecContext(ctx, `
			UPDATE tasks SET next_at = $1 WHERE `+waits+` AND next_at > $2`, instant(now), instant(now.Add(longest)))); err != nil {
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

// shorten bounds the leases.
func shorten(ctx context.Context, tx *sql.Tx, now time.Time, lease time.Duration) (n int, err error) {
	for _, table := range []string{"tasks", "deliveries"} {
		if err := counted(&n)(tx.ExecContext(ctx, `
			UPDATE `+table+` SET leased_until = $1 WHERE leased_until > $1`, instant(now.Add(lease)))); err != nil {
			return n, err
		}
	}
	return n, nil
}

// counted adds the rows of a change to n.
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
