package sandbox

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver

	"dailies/db/folder"
)

//go:embed migrations/*.sql
var migrations embed.FS

// A database is one SQLite file: a single connection that writes, and a few
// that read.
type database struct {
	writer *sql.DB
	reader *sql.DB
}

const readers = 4

// querier reads, in a transaction or out of one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func openDatabase(ctx context.Context, path string) (*database, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := folder.Touch(abs); err != nil {
		return nil, err
	}
	// Earlier versions let everybody on the machine read it.
	for _, beside := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(abs+beside, 0o600)
	}
	file := "file:" + (&url.URL{Path: abs}).EscapedPath()
	writer, err := sql.Open("sqlite", file+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)")
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	d := &database{writer: writer}
	if err := d.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("database %s: %w", path, err), writer.Close())
	}
	if d.reader, err = sql.Open("sqlite", file+"?mode=ro&_pragma=busy_timeout(5000)"); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	d.reader.SetMaxOpenConns(readers)
	return d, nil
}

func (d *database) close() error { return errors.Join(d.reader.Close(), d.writer.Close()) }

// write runs fn in a transaction that holds the write lock from the start, so
// that what it reads stays true until it commits.
func (d *database) write(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, rollback(tx))
	}
	return tx.Commit()
}

// rollback is silent where the end of the context has rolled back already.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// migrate applies the files that the database has not seen yet. Their order is
// that of their names; user_version counts them.
func (d *database) migrate(ctx context.Context) error {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	return d.write(ctx, func(tx *sql.Tx) error {
		var seen int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&seen); err != nil {
			return err
		}
		if seen > len(files) {
			return fmt.Errorf("it was made by a newer version (%d, this one knows %d)", seen, len(files))
		}
		for _, f := range files[seen:] {
			text, err := migrations.ReadFile("migrations/" + f.Name())
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", f.Name(), err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(files)))
		return err
	})
}

// now is the present as it will be read back: UTC, in whole milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// A stamp scans integer unix milliseconds into a time; 0 is the zero time.
type stamp struct{ at *time.Time }

// Scan is for database/sql.
func (s stamp) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is %T, not an integer", src)
	}
	*s.at = time.Time{}
	if ms != 0 {
		*s.at = time.UnixMilli(ms).UTC()
	}
	return nil
}
