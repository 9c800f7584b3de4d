package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// Batches returns which videos of each batch are made and may be seen by the
// viewer, the oldest first. What is in the bin does not count.
func (s *Store) Batches(ctx context.Context, viewer int64, batches []string) (map[string][]int64, error) {
	if len(batches) == 0 {
		return nil, nil
	}
	type member struct {
		batch string
		id    int64
	}
	rows, err := s.reads.QueryContext(ctx, `
		SELECT t.batch, t.id
		FROM (SELECT DISTINCT value AS batch FROM json_each(?2)) asked
		CROSS JOIN tasks t ON t.batch = asked.batch
		JOIN gallery g ON g.id = t.id
		WHERE t.batch <> '' AND g.state = 'success' AND `+visible+`
		ORDER BY t.id`, viewer, asJSON(&batches))
	members, err := all(rows, err, func(rows *sql.Rows) (m member, err error) {
		err = rows.Scan(&m.batch, &m.id)
		return m, err
	})
	found := map[string][]int64{}
	for _, m := range members {
		found[m.batch] = append(found[m.batch], m.id)
	}
	return found, about("batches", err)
}

// BatchTasks returns the tasks of one press, in the order in which they were
// asked for, with their media.
func (s *Store) BatchTasks(ctx context.Context, batch string, limit int) ([]db.Task, error) {
	var tasks []db.Task
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		tasks, err = selectTasks(ctx, tx, `
			FROM tasks t JOIN users u ON u.id = t.user_id
			WHERE t.batch = ? AND t.batch <> ''
			ORDER BY t.id LIMIT ? + 0`, batch, max(0, limit))
		return err
	})
	return tasks, about("batch", err)
}
