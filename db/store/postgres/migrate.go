package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// Migrations make the tables. One that has landed is never changed, and
// SHA256SUMS beside them records it; a new one is added.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// ErrOtherVersion says that another version of the program has made the tables.
var ErrOtherVersion = errors.New("made by another Dailies")

const (
	// oldestServer is the first version of the server that the store's SQL needs.
	oldestServer = 150000

	// oldestProgram is the oldest version of the program, counted in the migrations
	// that it knows, that works on these tables beside this one. A migration only
	// adds to what that version uses; what it uses is taken away by a later one, when
	// this number has passed it.
	oldestProgram = 2
)

// migrate brings the tables up to date, all or nothing. Of several processes that
// start at once, one does and the others wait. Processes of the version before go on
// meanwhile: what they write waits, and where they read tables in another order than
// the migrations change them, the server may end either, and the change is tried again.
func (d *DB) migrate(ctx context.Context) (err error) {
	for range migrateTries {
		if err = d.migrateOnce(ctx); code(err) != deadlock {
			break
		}
	}
	return err
}

// migrateTries bounds how often migrations stand in the way of others. The server
// takes a second to notice each time.
const migrateTries = 30

// migrateOnce makes the migrations that the database has not had, which the table
// schema_version counts.
func (d *DB) migrateOnce(ctx context.Context) error {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	return within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
		var server int
		if err := tx.QueryRowContext(ctx, `SELECT CAST(current_setting('server_version_num') AS BIGINT)`).Scan(&server); err != nil {
			return err
		}
		if server < oldestServer {
			return fmt.Errorf("the server is too old: it is version %d, and Dailies needs %d or newer", server/10000, oldestServer/10000)
		}
		for _, statement := range []string{
			fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, int64(migration)),
			`CREATE TABLE IF NOT EXISTS schema_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)`,
			`INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING`,
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		version, err := schemaVersion(ctx, tx)
		if err != nil {
			return err
		}
		if version > len(names) {
			return serves(ctx, tx, version, len(names))
		}
		if version > 0 && version < len(names) {
			if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(turn)); err != nil {
				return err
			}
		}
		for _, name := range names[version:] {
			text, err := fs.ReadFile(Migrations, name)
			if err == nil {
				_, err = tx.ExecContext(ctx, string(text))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE schema_version SET version = $1, oldest = $2`, len(names), oldestProgram)
		return err
	})
}

// serves returns an error unless tables of a newer version serve this program as
// well, as while a company goes over to it.
func serves(ctx context.Context, tx *sql.Tx, version, mine int) error {
	var oldest int
	if err := tx.QueryRowContext(ctx, `SELECT oldest FROM schema_version`).Scan(&oldest); err != nil {
		return err
	}
	if oldest > mine {
		return fmt.Errorf("made by a newer Dailies (its version is %d and serves those from %d on, this program's is %d)", version, oldest, mine)
	}
	return nil
}

// asker is a pool or a transaction.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func schemaVersion(ctx context.Context, from asker) (version int, err error) {
	err = from.QueryRowContext(ctx, `SELECT version FROM schema_version`).Scan(&version)
	return version, err
}

func (d *DB) expectVersion(ctx context.Context) error {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, d.Reads)
	if code(err) == "42P01" { // there is no such table
		err = nil
	}
	if err == nil && version != len(names) {
		err = fmt.Errorf("%w (its version is %d, this program's %d)", ErrOtherVersion, version, len(names))
	}
	return err
}

// LastNumber implements engine.Engine.
func (d *DB) LastNumber(ctx context.Context, tx *sql.Tx, table string) (last int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+table+`_id_seq`).Scan(&last)
	return last, err
}

// SetLastNumber implements engine.Engine.
func (d *DB) SetLastNumber(ctx context.Context, tx *sql.Tx, table string, last int64) error {
	if last == 0 {
		return nil // nothing was numbered
	}
	_, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, last)
	return err
}
