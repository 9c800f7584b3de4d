package store

import (
	"context"
	"database/sql"

	"dailies/db/schedule"
	"dailies/db/store/engine"
)

// Versions returns the version of the thing with the name, if that is not empty, and
// those that concern everybody: of the queue, of usual times and of prices. Whoever
// reads them before anything else has seen at least everything that they stand for.
func (s *Store) Versions(ctx context.Context, name string) (schedule.Versions, error) {
	versions, look := schedule.Versions{}, s.db.Reading(ctx)
	look.Each(func(rows *sql.Rows) error {
		var of string
		var stamp int64
		err := rows.Scan(&of, &stamp)
		versions[of] += stamp
		return err
	}, `
		SELECT name, stamp FROM versions WHERE name IN ($1, 'queue', 'usual')
		UNION ALL
		SELECT name, stamp FROM versions WHERE name >= 'price ' AND name < 'price!'`, name)
	return versions, engine.About("versions", look.Err())
}
