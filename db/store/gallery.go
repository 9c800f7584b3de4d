package store

import (
	"context"
	"database/sql"
	"slices"

	"dailies/db"
)

// mostThrough bounds a page that goes on to a certain task.
const mostThrough = 1000

// Tasks returns the tasks that the filter chooses and the viewer may see, the
// newest first, with their media. With Through they are at most 1,000.
//
// They are chosen and read in one transaction, and each row is held against the
// rule once more: what becomes private meanwhile is never shown to others.
func (s *Store) Tasks(ctx context.Context, f db.TaskFilter) ([]db.Task, error) {
	var ids []int64
	var tasks []db.Task
	most := max(0, f.Limit)
	if f.Through > 0 {
		most = mostThrough
	}
	err := s.counted(ctx, f, func(c *census, found *finding) {
		last := int64(len(c.tasks)) - 1
		if f.Before > 0 {
			last = min(last, f.Before-1)
		}
		ids = c.choose(f, found, last, most)
	}, func(tx *sql.Tx) (err error) {
		tasks, err = loadTasks(ctx, tx, ids)
		return err
	})
	hidden := func(t db.Task) bool { return !f.MayShow(t) }
	return slices.DeleteFunc(tasks, hidden), about("tasks", err)
}

// choose walks from the task last towards older ones.
func (c *census) choose(f db.TaskFilter, found *finding, last int64, most int) (ids []int64) {
	n := c.begin(f, nil)
	for id := last; id >= max(1, f.Through) && len(ids) < most; id-- {
		t := &c.tasks[id]
		if n.missing[t.sort] == none && (found == nil || found.has(int(id))) && n.missedBy(t, none) == none {
			ids = append(ids, id)
		}
	}
	return ids
}
