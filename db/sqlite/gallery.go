package sqlite

import (
	"context"
	"database/sql"
	"math"
	"time"

	"dailies/db"
)

const (
	// mostThrough bounds a page that goes on to a certain task.
	mostThrough = 1000

	// wrongBy is how far the clock may have gone back while tasks were made:
	// as far their ids and their times may tell of another order.
	wrongBy = 24 * time.Hour
)

// Tasks returns the tasks that the filter chooses and the viewer may see, the
// newest first, with their media. With Through they are at most 1,000.
func (s *Store) Tasks(ctx context.Context, f db.TaskFilter) ([]db.Task, error) {
	limit := max(0, f.Limit)
	if f.Through > 0 {
		limit = mostThrough
	}
	var tasks []db.Task
	err := s.read(ctx, func(tx *sql.Tx) error {
		first, last, err := reach(ctx, tx, f)
		if err != nil {
			return err
		}
		made := stretchOf(db.Span{From: f.From, Until: f.Until})
		// The cross join is SQLite's way to keep the order of the tables: the
		// index gives the ids newest first, so that the limit ends the walk.
		rows, err := tx.QueryContext(ctx, `
			SELECT `+taskColumns+`
			FROM search CROSS JOIN tasks t ON t.id = search.rowid JOIN users u ON u.id = t.user_id
			WHERE search MATCH ? AND search.rowid BETWEEN ? AND ? AND t.created_at >= ? AND t.created_at < ?
			ORDER BY search.rowid DESC
			LIMIT ?`, match(f), first, last, made.from, made.until, limit)
		if tasks, err = all(rows, err, scanTask); err != nil {
			return err
		}
		return withMedia(ctx, tx, tasks)
	})
	return tasks, about("tasks", err)
}

// reach is where in the order of ids the tasks of the filter lie. Tasks of a
// stretch of time lie together, give or take a clock that went back.
func reach(ctx context.Context, tx *sql.Tx, f db.TaskFilter) (first, last int64, err error) {
	first, last = max(1, f.Through), math.MaxInt64
	if f.Before != 0 {
		last = f.Before - 1
	}
	made := stretchOf(db.Span{From: f.From, Until: f.Until})
	if !f.From.IsZero() {
		var since int64
		err = tx.QueryRowContext(ctx, `
			SELECT coalesce(min(id), ?2) FROM tasks
			WHERE created_at BETWEEN ?1 AND ?3 + (SELECT min(created_at) FROM tasks WHERE created_at >= ?1)`,
			made.from, int64(math.MaxInt64), wrongBy.Milliseconds()).Scan(&since)
		first = max(first, since)
	}
	if !f.Until.IsZero() && err == nil {
		var until int64
		err = tx.QueryRowContext(ctx, `
			SELECT coalesce(max(id), 0) FROM tasks
			WHERE created_at < ?1 AND created_at >= (SELECT max(created_at) FROM tasks WHERE created_at < ?1) - ?2`,
			made.until, wrongBy.Milliseconds()).Scan(&until)
		last = min(last, until)
	}
	return first, last, err
}

// CountTasks counts the tasks that the filter chooses and the viewer may see,
// but no further than most; Before, Through and Limit do not matter.
func (s *Store) CountTasks(ctx context.Context, f db.TaskFilter, most int) (int, error) {
	facets, err := s.CountFacets(ctx, f, nil)
	return min(facets.Total, most), err
}
