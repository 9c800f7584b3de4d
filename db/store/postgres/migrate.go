package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"dailies/db/store/engine"
)

// Migrations create the tables. A migration that has landed is never changed, and
// SHA256SUMS beside it records its checksum; changes need a new migration.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// ErrOtherVersion says that the tables are from another version of the program.
var ErrOtherVersion = errors.New("made by another Dailies")

const (
	// oldestServer is the oldest server version that supports the store's SQL.
	oldestServer = 150000

	// oldestProgram is the oldest version of the program that can use these tables
	// beside this one. A version is the number of migrations that the program
	// knows. A migration only adds to what the oldest version uses; what that
	// version uses may be removed by a later migration, once oldestProgram has
	// passed it.
	oldestProgram = 2
)

// migrate brings the tables up to date, all or nothing. If several processes start
// at once, one migrates and the others wait. Processes of the previous version keep
// running, but their writes wait. If they read tables in another order than the
// migrations change them, the server may abort either side, and the migration is
// tried again.
func (d *DB) migrate(ctx context.Context) (err error) {
	for range migrateTries {
		if err = d.migrateOnce(ctx); engine.SQLState(err) != deadlock {
			break
		}
	}
	return err
}

// migrateTries limits the attempts to migrate after deadlocks with other processes.
// The server takes a second to detect each one.
const migrateTries = 30

// migrateOnce runs the migrations that the database has not had yet; the table
// schema_version counts them.
func (d *DB) migrateOnce(ctx context.Context) error {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	return within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
		if err := checkServer(ctx, tx); err != nil {
			return err
		}
		for _, statement := range []string{
			fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, int64(migrationLock)),
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
			return checkCompatible(ctx, tx, version, len(names))
		}
		if version > 0 && version < len(names) {
			if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(writeLock)); err != nil {
				return err
			}
		}
		for _, name := range names[version:] {
			text, err := fs.ReadFile(Migrations, name)
			if err == nil {
				_, err = tx.ExecContext(ctx, string(text))
			}
			if err != nil {
				return unsettled(version, fmt.Errorf("%s: %w", name, err))
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE schema_version SET version = $1, oldest = $2`, len(names), oldestProgram)
		return unsettled(version, err)
	})
}

// checkServer returns an error if the server is too old.
func checkServer(ctx context.Context, from querier) error {
	var server int
	err := from.QueryRowContext(ctx, `SELECT CAST(current_setting('server_version_num') AS BIGINT)`).Scan(&server)
	if err == nil && server < oldestServer {
		err = fmt.Errorf("the server is too old: it is version %d, and Dailies needs %d or newer", server/10000, oldestServer/10000)
	}
	return err
}

// ErrDevelopment says that a development build has made the tables, before the
// migrations that it had were finished.
var ErrDevelopment = errors.New("made by a development build, before its tables were settled")

// unsettled explains an error of a migration that meets other tables than those of the
// version that the database has.
func unsettled(version int, err error) error {
	if version > 0 && slices.Contains([]string{"42P01", "42703", "42704", "42883", "42P07", "42701", "42710"}, engine.SQLState(err)) { // a table, column or other object is missing, or there already
		return fmt.Errorf("%w (version %d: %w); only the build that made it can read it", ErrDevelopment, version, err)
	}
	return err
}

// checkCompatible returns an error unless the tables, which a newer version made,
// can be used by this version too, as during a rolling upgrade.
func checkCompatible(ctx context.Context, tx *sql.Tx, version, mine int) error {
	var oldest int
	if err := tx.QueryRowContext(ctx, `SELECT oldest FROM schema_version`).Scan(&oldest); err != nil {
		return err
	}
	if oldest > mine {
		return fmt.Errorf(
			"made by a newer Dailies (its version is %d and serves those from %d on, this program's is %d)",
			version, oldest, mine,
		)
	}
	return nil
}

// A querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func schemaVersion(ctx context.Context, from querier) (version int, err error) {
	err = from.QueryRowContext(ctx, `SELECT version FROM schema_version`).Scan(&version)
	return version, err
}

func (d *DB) expectVersion(ctx context.Context) error {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if err := checkServer(ctx, d.Reads); err != nil {
		return err
	}
	version, err := schemaVersion(ctx, d.Reads)
	if engine.SQLState(err) == "42P01" { // the table does not exist
		err = nil
	}
	if err != nil || version == len(names) {
		return err
	}
	v := engine.Versions{Has: version, Knows: len(names)}
	if version > len(names) {
		err = d.Reads.QueryRowContext(ctx, `SELECT oldest FROM schema_version`).Scan(&v.Serves)
	}
	return cmp.Or(err, fmt.Errorf("%w (%w)", ErrOtherVersion, v))
}

// LastNumber implements engine.Engine.
func (d *DB) LastNumber(ctx context.Context, tx *sql.Tx, table string) (last int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+table+`_id_seq`).Scan(&last)
	return last, err
}

// SetLastNumber implements engine.Engine.
func (d *DB) SetLastNumber(ctx context.Context, tx *sql.Tx, table string, last int64) error {
	if last == 0 {
		return nil // no row was ever numbered
	}
	_, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, last)
	return err
}
