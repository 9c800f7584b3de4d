package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

// migrations are applied in the order of their names, each once. One that
// has landed is never changed, and SHA256SUMS records it; a new one is added.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date, all or nothing. user_version counts the
// migrations that the file has had.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
			return err
		}
		if version > len(names) {
			return fmt.Errorf("made by a newer Dailies (its version is %d, this program knows %d)", version, len(names))
		}
		for _, name := range names[version:] {
			if err := apply(ctx, tx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(names)))
		return err
	})
}

func apply(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	switch name {
	case "migrations/002_order.sql":
		return fillWords(ctx, tx) // before the index is made anew
	case "migrations/005_links.sql":
		return hashShares(ctx, tx)
	case "migrations/006_pictures.sql":
		return hashPictures(ctx, tx)
	}
	return nil
}
