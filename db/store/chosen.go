package store

import (
	"context"
	"database/sql"
	"slices"

	"dailies/db"
)

// TasksOf returns those of the tasks that the viewer may see, in the order of
// the ids, with their media. What is in the bin is left out.
func (s *Store) TasksOf(ctx context.Context, viewer int64, ids []int64) ([]db.Task, error) {
	var tasks []db.Task
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		tasks, err = loadTasks(ctx, tx, ids)
		return err
	})
	hidden := func(t db.Task) bool { return !t.VisibleTo(viewer) || !t.DeletedAt.IsZero() }
	return slices.DeleteFunc(tasks, hidden), about("chosen tasks", err)
}
