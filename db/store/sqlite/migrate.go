package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"dailies/db/store/engine"
)

// Migrations are those of the app. A migration that has landed is never changed,
// and SHA256SUMS beside it records its checksum; changes need a new migration.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// Whole makes all tables of the app in a new file at once, with the same result as running
// all migrations.
//
//go:embed schema.sql
var Whole string

// A Schema defines the tables of a program.
type Schema struct {
	// Files holds migrations/*.sql, each of which is applied once, in the order of
	// their names.
	Files fs.FS
	// After holds what SQL alone cannot do, by the name of the migration after
	// which it runs, such as "002_order.sql". It may be nil.
	After map[string]func(context.Context, *sql.Tx) error
	// Whole makes all tables in a new file at once, with the same result as running all
	// migrations. If it is empty, the migrations run.
	Whole string
}

// ErrOtherVersion says that the tables are from another version of the program.
var ErrOtherVersion = errors.New("made by another Dailies")

// migrate brings the tables up to date, all or nothing. PRAGMA user_version counts
// the migrations that the file has had.
func (d *DB) migrate(ctx context.Context, schema Schema) error {
	names, err := fs.Glob(schema.Files, "migrations/*.sql")
	if err != nil {
		return err
	}
	return d.Write(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
			return err
		}
		if version > len(names) {
			return fmt.Errorf("made by a newer Dailies (its version is %d, this program knows %d)", version, len(names))
		}
		if version > 0 && version < len(names) {
			if err := checkTables(ctx, tx, schema, names[:version]); err != nil {
				return err
			}
		}
		if isNew, err := schema.isNew(ctx, tx); err != nil {
			return err
		} else if isNew {
			if _, err := tx.ExecContext(ctx, schema.Whole); err != nil {
				return fmt.Errorf("new tables: %w", err)
			}
			version = len(names)
		}
		for _, name := range names[version:] {
			if err := schema.apply(ctx, tx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(names)))
		return err
	})
}

// isNew reports whether the file is empty and can have all tables at once, which takes a
// fifth of the time of running each migration.
func (s Schema) isNew(ctx context.Context, tx *sql.Tx) (bool, error) {
	if s.Whole == "" {
		return false, nil
	}
	var objects int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&objects)
	return objects == 0, err
}

func (s Schema) apply(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := fs.ReadFile(s.Files, name)
	if err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	if after := s.After[path.Base(name)]; after != nil {
		return after(ctx, tx)
	}
	return nil
}

func (d *DB) expectVersion(ctx context.Context, schema Schema) error {
	names, err := fs.Glob(schema.Files, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := d.Reads.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	if version != len(names) {
		return fmt.Errorf("%w (%w)", ErrOtherVersion, engine.Versions{Has: version, Knows: len(names), Serves: version})
	}
	return nil
}

// LastNumber implements engine.Engine.
func (d *DB) LastNumber(ctx context.Context, tx *sql.Tx, table string) (last int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = $1`, table).Scan(&last)
	return last, err
}

// SetLastNumber implements engine.Engine.
func (d *DB) SetLastNumber(ctx context.Context, tx *sql.Tx, table string, last int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM sqlite_sequence WHERE name = $1`, table)
	if err == nil && last > 0 {
		_, err = tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, table, last)
	}
	return err
}
