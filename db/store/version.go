package store

import (
	"context"

	"dailies/db/schedule"
	"dailies/db/store/engine"
)

// Versions returns the version of the thing with the name, if that is not empty, and
// those that concern everybody: of the queue, of usual times and of prices. Whoever
// reads them before anything else has seen at least everything that they stand for.
func (s *Store) Versions(ctx context.Context, name string) (schedule.Versions, error) {
	versions := schedule.Versions{}
	rows, err := s.db.Reads.QueryContext(ctx, `
		SELECT name, stamp FROM versions WHERE name IN ($1, 'queue', 'usual')
		UNION ALL
		SELECT name, stamp FROM versions WHERE name >= 'price ' AND name < 'price!'`, name)
	if err != nil {
		return nil, engine.About("versions", err)
	}
	defer rows.Close()
	for rows.Next() {
		var of string
		var stamp int64
		if err := rows.Scan(&of, &stamp); err != nil {
			return nil, engine.About("versions", err)
		}
		versions[of] += stamp
	}
	return versions, engine.About("versions", rows.Err())
}
