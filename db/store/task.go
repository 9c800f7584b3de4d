package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/people"
	"dailies/db/store/video"
)

// AddTasks queues the tasks of one person, all or none, and returns them as they are
// stored. If the person's form token was used for a task already, it returns that task
// instead: one form makes one task, however often its button is pressed. It returns a
// *team.Over if the tasks would exceed a spending limit.
func (s *Store) AddTasks(ctx context.Context, tasks []db.Task) ([]db.Task, error) {
	var kept []db.Task
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		all, added, err := s.addTasks(ctx, tx, tasks)
		if kept = all; err != nil {
			return err
		}
		return s.Limits.Spend(ctx, tx, added)
	})
	return kept, engine.About("tasks", err)
}

// ResendTasks is like AddTasks, for tasks that replace the unconfirmed task with the
// ID, which is marked as decided in the same transaction. If as many identical
// replacements exist already and have not failed, for example because they were sent
// from another page, it returns those instead. It returns db.ErrConflict if the old
// task is no longer unconfirmed.
func (s *Store) ResendTasks(ctx context.Context, id int64, tasks []db.Task, now time.Time) ([]db.Task, error) {
	var kept []db.Task
	err := s.db.Write(ctx, func(tx *sql.Tx) (err error) {
		old, err := video.LoadTask(ctx, tx, id)
		if err != nil {
			return err
		}
		if kept, err = video.Resent(ctx, tx, old, tasks[0]); err != nil {
			return err
		}
		if len(kept) >= len(tasks) {
			kept = kept[:len(tasks)]
			return nil
		}
		var added []db.Task
		if kept, added, err = s.addTasks(ctx, tx, tasks); err != nil || len(added) == 0 {
			return err
		}
		if old.State != db.Unconfirmed {
			return fmt.Errorf("it is %s: %w", old.State, db.ErrConflict)
		}
		before := old
		if err := old.Decide(now); err != nil {
			return err
		}
		if err := s.Tasks.SaveTask(ctx, tx, before, &old); err != nil {
			return err
		}
		return s.Limits.Spend(ctx, tx, added)
	})
	return kept, engine.About(engine.Task(id), err)
}

// addTasks locks the person's purse and queues the tasks.
func (s *Store) addTasks(ctx context.Context, tx *sql.Tx, tasks []db.Task) (kept, added []db.Task, err error) {
	if len(tasks) > 0 {
		if err := people.LockPurses(ctx, tx, tasks[0].UserID); err != nil {
			return nil, nil, err
		}
	}
	return s.Tasks.Enqueue(ctx, tx, tasks)
}
