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

// querier reads, in a transaction or out of one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func openDatabase(ctx context.Context, path string) (*sqlite.DB, error) {
	// Earlier versions let everybody on the machine read it.
	for _, beside := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(path+beside, 0o600)
	}
	return sqlite.Open(ctx, path, sqlite.Schema{Files: migrations})
}

// A stamp scans integer unix milliseconds into a time; 0 is the zero time.
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
