package sqlite

import (
	"context"
	"database/sql"

	"dailies/db"
)

// CountFacets counts what each choice would give, all the other choices of the
// filter staying as they are. Before, Through and Limit do not matter.
func (s *Store) CountFacets(ctx context.Context, f db.TaskFilter, spans []db.Span) (db.Facets, error) {
	facets := db.Facets{Dates: make([]int, len(spans))}
	err := s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)`, match(f), db.MostCounted+1).Scan(&facets.Total)
	})
	return facets, about("facets", err)
}
