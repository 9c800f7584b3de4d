package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// IsDuplicate reports whether a write was refused because the row already exists.
func IsDuplicate(err error) bool {
	c := sqliteCode(err)
	return c == codes.SQLITE_CONSTRAINT_UNIQUE || c == codes.SQLITE_CONSTRAINT_PRIMARYKEY || SQLState(err) == "23505"
}

// IsOrphan reports whether a write was refused because it refers to a row that does
// not exist.
func IsOrphan(err error) bool {
	return sqliteCode(err) == codes.SQLITE_CONSTRAINT_FOREIGNKEY || SQLState(err) == "23503"
}

// IsFull reports whether a write failed because the disk of the database is full, or a
// file has reached its maximum size.
func IsFull(err error) bool {
	c := sqliteCode(err)
	return c&0xff == codes.SQLITE_FULL || c == codes.SQLITE_IOERR_WRITE || c == codes.SQLITE_IOERR_SHMSIZE || SQLState(err) == "53100"
}

// IsBusy reports whether the database took no write at the moment, because somebody else has
// locked it, or because the server is not there.
func IsBusy(err error) bool {
	if c := sqliteCode(err) & 0xff; c == codes.SQLITE_BUSY || c == codes.SQLITE_LOCKED {
		return true
	}
	var unreachable *pgconn.ConnectError
	if errors.As(err, &unreachable) {
		return true
	}
	switch state := SQLState(err); state {
	case "55P03", "57014", "57P01", "57P02", "57P03", "53300", "40001", "40P01", "25006": // locked, too slow, stopping, too many, a conflict, a standby
		return true
	default:
		return strings.HasPrefix(state, "08") // the connection
	}
}

// Remedy says what to do about a damaged database file.
const Remedy = `stop Dailies, keep a copy of the data folder, and make a new one of a backup: dailies restore FILE -data NEW`

// WithRemedy adds Remedy to an error that says that the file is damaged.
func WithRemedy(err error) error {
	switch sqliteCode(err) & 0xff {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %s", err, Remedy)
	}
	return err
}

// sqliteCode returns SQLite's extended result code, or 0 for any other error.
func sqliteCode(err error) int {
	var refused *sqlite.Error
	if !errors.As(err, &refused) {
		return 0
	}
	return refused.Code()
}

// SQLState returns the code of an error of a Postgres server, such as 23505, or "" for
// any other error.
func SQLState(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}
