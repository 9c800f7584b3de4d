package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
)

// StarTasks stars, or unstars, those of the tasks that the viewer may see, and returns
// the IDs of these. A star is for the whole team.
func (s *Store) StarTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		if !t.ListedFor(viewer.ID) {
			return false, nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET starred = $1 WHERE id = $2 AND starred <> $1`, on, t.ID)
		return true, err
	})
}

// PrivateTasks hides those of the tasks that are the viewer's own from the team, or
// shows them to it again, and returns the IDs of these.
func (s *Store) PrivateTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		if t.UserID != viewer.ID || !t.ListedFor(viewer.ID) {
			return false, nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE tasks SET private = $1 WHERE id = $2 AND private <> $1`, on, t.ID)
		return true, err
	})
}

// TitleTask sets the title of the task, or removes it if title is empty. A title is for
// the whole team. It returns db.ErrNotFound if lists do not show the task to the
// viewer.
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

// DeleteTasks puts those of the tasks into the bin that the viewer may delete and that
// are done, and returns the IDs of these. Tasks that were in the bin already are not
// among them, so that undoing the deletion leaves them there.
func (s *Store) DeleteTasks(ctx context.Context, viewer db.User, ids []int64, now time.Time) (deleted []int64, err error) {
	return s.eachOf(ctx, ids, func(tx *sql.Tx, t db.Task) (bool, error) {
		at, err := deletionTime(ctx, tx, now)
		if err != nil {
			return false, err
		}
		if !t.DeletedAt.IsZero() || !t.DeletableBy(viewer) || t.Delete(viewer.ID, at) != nil {
			return false, nil
		}
		return true, saveBin(ctx, tx, t)
	})
}

// RestoreTasks takes those of the tasks out of the bin that the viewer may delete, and
// returns the IDs of these.
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

// eachOf calls do for each of the tasks that exist, all in one transaction, and returns
// the IDs of those for which it returned true. It does not write the task back. do has
// to update single columns only, because the watcher may be working on the task.
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
