package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
)

// StarTasks stars those of the tasks that the viewer may see, or takes their
// stars away, and returns which these are. A star is the whole team's.
func (s *Store) StarTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		if !t.ListedFor(viewer.ID) {
			return false, nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET starred = $1 WHERE id = $2 AND starred <> $1`, on, t.ID)
		return true, err
	})
}

// PrivateTasks hides those of the tasks that are the viewer's own from the
// team, or shows them to it again, and returns which these are.
func (s *Store) PrivateTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		if t.UserID != viewer.ID || !t.ListedFor(viewer.ID) {
			return false, nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET private = $1 WHERE id = $2 AND private <> $1`, on, t.ID)
		return true, err
	})
}

// TitleTask gives the task the title, or takes it away where the title is empty.
// A title is the whole team's. A task that the viewer does not see in lists is
// db.ErrNotFound.
func (s *Store) TitleTask(ctx context.Context, viewer db.User, id int64, title string) error {
	done, err := s.eachOf(ctx, []int64{id}, func(tx *sql.Tx, t db.Task) (bool, error) {
		if !t.ListedFor(viewer.ID) {
			return false, nil
		}
		t.Title = title
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET title = $1, words = $2 WHERE id = $3`, t.Title, s.wordsOf(t), t.ID)
		return true, err
	})
	if err == nil && len(done) == 0 {
		err = db.ErrNotFound
	}
	return about("title of "+task(id), err)
}

// DeleteTasks puts those of the tasks into the bin that the viewer may delete
// and that are done, and returns which these are. What was in there already is
// not among them, so that an undo leaves it there.
func (s *Store) DeleteTasks(ctx context.Context, viewer db.User, ids []int64, now time.Time) (deleted []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		at, err := since(ctx, tx, now)
		if err != nil {
			return false, err
		}
		if !t.DeletedAt.IsZero() || !t.DeletableBy(viewer) || t.Delete(viewer.ID, at) != nil {
			return false, nil
		}
		return true, saveBin(ctx, tx, t)
	})
}

// RestoreTasks takes those of the tasks out of the bin that the viewer may
// delete, and returns which these are.
func (s *Store) RestoreTasks(ctx context.Context, viewer db.User, ids []int64) (restored []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		if t.DeletedAt.IsZero() || !t.DeletableBy(viewer) || t.Restore() != nil {
			return false, nil
		}
		return true, saveBin(ctx, tx, t)
	})
}

func saveBin(ctx context.Context, tx *sql.Tx, t db.Task) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE tasks SET deleted_at = $1, deleted_by = nullif($2, 0) WHERE id = $3`, instant(t.DeletedAt), t.DeletedBy, t.ID)
	return err
}

// eachOf calls do for each of the tasks that are there, all in one transaction,
// and returns the ids of those for which it reported true. It writes no task
// back: do changes single columns, because the clock may hold the task.
func (s *Store) eachOf(ctx context.Context, ids []int64, do func(*sql.Tx, db.Task) (bool, error)) (done []int64, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	err = s.write(ctx, func(tx *sql.Tx) error {
		tasks, err := loadTasks(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			ok, err := do(tx, t)
			if err != nil {
				return about(task(t.ID), err)
			}
			if ok {
				done = append(done, t.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}
