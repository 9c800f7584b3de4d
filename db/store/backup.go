package store

import (
	"context"

	"dailies/db/store/engine"
)

// Remedy says what to do about a database that is damaged.
const Remedy = engine.Remedy

// Damage returns the defects that were found in the database, one string each.
func (s *Store) Damage(ctx context.Context) ([]string, error) {
	found, err := s.db.Damage(ctx)
	return found, engine.About("integrity of the database", err)
}
