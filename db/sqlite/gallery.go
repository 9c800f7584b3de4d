package sqlite

import (
	"context"
	"database/sql"
	"math"

	"dailies/db"
)

// Tasks returns the tasks that the filter chooses and the viewer may see, the
// newest first, with their media.
func (s *Store) Tasks(ctx context.Context, f db.TaskFilter) ([]db.Task, error) {
	before := f.Before
	if before == 0 {
		before = math.MaxInt64
	}
	var tasks []db.Task
	err := s.read(ctx, func(tx *sql.Tx) error {
		// The cross join is SQLite's way to keep the order of the tables: the
		// index gives the ids newest first, so that the limit ends the walk.
		rows, err := tx.QueryContext(ctx, `
			SELECT `+taskColumns+`
			FROM search CROSS JOIN tasks t ON t.id = search.rowid JOIN users u ON u.id = t.user_id
			WHERE search MATCH ? AND search.rowid < ?
			ORDER BY search.rowid DESC
			LIMIT ?`, match(f), before, max(0, f.Limit))
		if tasks, err = all(rows, err, scanTask); err != nil {
			return err
		}
		return withMedia(ctx, tx, tasks)
	})
	return tasks, about("tasks", err)
}

// CountTasks counts the tasks that the filter chooses and the viewer may see,
// but no further than most; Before and Limit do not matter.
func (s *Store) CountTasks(ctx context.Context, f db.TaskFilter, most int) (int, error) {
	var n int
	err := s.reads.QueryRowContext(ctx, `
		SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)`, match(f), most).Scan(&n)
	return n, about("tasks", err)
}
