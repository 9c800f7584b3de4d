package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/klauspost/compress/gzip"

	"dailies/db/folder"
	"dailies/db/store/engine"
)

// Migrations are those of the app. A migration that has landed is never changed,
// and SHA256SUMS beside it records its checksum; changes need a new migration.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// Empty is a database of the app in which nothing has happened yet, compressed with gzip.
// It has what all migrations make of an empty file, which schema.sql shows.
//
//go:embed empty.db.gz
var Empty []byte

// A Schema defines the tables of a program.
type Schema struct {
	// Files holds migrations/*.sql, each of which is applied once, in the order of
	// their names.
	Files fs.FS
	// After holds what SQL alone cannot do, by the name of the migration after
	// which it runs, such as "002_order.sql". It may be nil.
	After map[string]func(context.Context, *sql.Tx) error
	// Empty is what all migrations make of an empty file, compressed with gzip. A new file
	// begins as a copy of it, which takes a tenth of the time. Without it, the migrations run.
	Empty []byte
}

// make makes the file if it is new. Its content is for its owner alone, and SQLite gives
// the same mode to the files beside it.
func (s Schema) make(path string) error {
	if file, err := os.Stat(path); len(s.Empty) == 0 || err == nil && file.Size() > 0 {
		return folder.Touch(path)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(s.Empty))
	if err != nil {
		return err
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		return err
	}
	return folder.Write(path, content)
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
		for _, name := range names[version:] {
			if err := schema.apply(ctx, tx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(names)))
		return err
	})
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
