package store

import (
	"context"
	"database/sql"
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
