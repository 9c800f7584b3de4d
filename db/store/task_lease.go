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
		UPDATE tasks SET leased_until = ?
		WHERE id = ? AND leased_by = ? AND leased_until IS NOT NULL`, instant(until), id, owner)))
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
		rows, err := tx.QueryContext(ctx, `SELECT id FROM tasks WHERE state = 'sending' AND id NOT IN (SELECT value FROM json_each(?))`, listed(answered))
		ids, err := all(rows, err, scanID)
		if err != nil {
			return err
		}
		tasks, err := loadTasks(ctx, tx, ids)
		if err != nil {
			return err
		}
		lost = len(tasks)
		return lose(ctx, tx, tasks, now)
	})
	return lost, about("tasks that were being sent", err)
}

func lose(ctx context.Context, tx *sql.Tx, tasks []db.Task, now time.Time) error {
	for _, t := range tasks {
		before := t
		if err := t.Lose("Dailies was stopped while it was sending this.", now); err != nil {
			return err
		}
		if err := saveTask(ctx, tx, before, &t); err != nil {
			return err
		}
	}
	return nil
}
