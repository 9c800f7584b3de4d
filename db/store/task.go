package store

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
	"dailies/db/store/video"
)

// AddTasks queues the tasks of one person, all or none, and returns them as they are
// stored. If the person's form token was used for a task already, it returns that task
// instead: one form makes one task, however often its button is pressed. It returns a
// *spending.Over if the tasks would exceed a spending limit.
func (s *Store) AddTasks(ctx context.Context, tasks []db.Task) ([]db.Task, error) {
	var kept []db.Task
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		var added []db.Task
		kept, added = s.addTasks(tx, tasks)
		s.Limits.Spend(tx, added)
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
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		old := video.LoadTask(tx, id)
		kept = video.Resent(tx, old, tasks[0])
		if tx.OK() && len(kept) >= len(tasks) {
			kept = kept[:len(tasks)]
			return
		}
		var added []db.Task
		if kept, added = s.addTasks(tx, tasks); !tx.OK() || len(added) == 0 {
			return
		}
		tx.Require(old.State == db.Unconfirmed, fmt.Errorf("it is %s: %w", old.State, db.ErrConflict))
		before := old
		tx.Check(old.Decide(now))
		s.Tasks.SaveTask(tx, before, &old)
		s.Limits.Spend(tx, added)
	})
	return kept, engine.About(engine.Task(id), err)
}

// OrderTasks is like AddTasks, for tasks that a program orders with a token. It returns
// program.ErrUsedKey if the order's key was used before, program.ErrCap if the tasks would
// exceed the token's cap, program.ErrStopped or program.ErrEnded.
func (s *Store) OrderTasks(ctx context.Context, o program.Order, tasks []db.Task) ([]db.Task, error) {
	var kept []db.Task
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		teamdb.LockPurses(tx, o.UserID)
		now := s.db.Now()
		s.Programs.Begin(tx, o, now)
		var added []db.Task
		kept, added = s.Tasks.Enqueue(tx, tasks)
		s.Limits.Spend(tx, added)
		s.Programs.Finish(tx, o, added, now)
	})
	return kept, engine.About("tasks", err)
}

// addTasks locks the person's purse and queues the tasks.
func (s *Store) addTasks(tx *engine.Tx, tasks []db.Task) (kept, added []db.Task) {
	if len(tasks) > 0 {
		teamdb.LockPurses(tx, tasks[0].UserID)
	}
	return s.Tasks.Enqueue(tx, tasks)
}
