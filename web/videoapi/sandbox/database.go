package sandbox

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"os"
	"time"

	"dailies/db/store/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// A querier reads one row, in a transaction or outside one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func openDatabase(ctx context.Context, path string) (*sqlite.DB, error) {
	// Earlier versions created these files readable by every user of the machine.
	for _, beside := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(path+beside, 0o600)
	}
	return sqlite.Open(ctx, path, sqlite.Schema{Files: migrations})
}

// list returns all rows of a query. columns returns the destinations into which a
// row is scanned; name describes the rows in errors.
func list[T any](ctx context.Context, d *sqlite.DB, name string, columns func(*T) []any, query string, args ...any) ([]T, error) {
	rows, err := d.Reads.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %s: %w", name, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var row T
		if err := rows.Scan(columns(&row)...); err != nil {
			return nil, fmt.Errorf("sandbox: %s: %w", name, err)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// A stamp scans integer Unix milliseconds into a time; 0 is the zero time.
type stamp struct{ at *time.Time }

// Scan implements sql.Scanner.
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
