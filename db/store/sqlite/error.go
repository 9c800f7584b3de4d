package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// Remedy says what to do about a damaged database.
const Remedy = `stop Dailies, keep a copy of the data folder, and make a new one of a backup: dailies restore FILE -data NEW`

// WithRemedy adds Remedy to an error that says that the file is damaged.
func WithRemedy(err error) error {
	switch code(err) & 0xff {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %s", err, Remedy)
	}
	return err
}

// IsDuplicate reports whether a write was refused because the row already exists.
func IsDuplicate(err error) bool {
	c := code(err)
	return c == codes.SQLITE_CONSTRAINT_UNIQUE || c == codes.SQLITE_CONSTRAINT_PRIMARYKEY
}

// IsOrphan reports whether a write was refused because it refers to a row that does
// not exist.
func IsOrphan(err error) bool { return code(err) == codes.SQLITE_CONSTRAINT_FOREIGNKEY }

// IsFull reports whether a write failed because the disk is full, or the file has
// reached its maximum size.
func IsFull(err error) bool {
	c := code(err)
	return c&0xff == codes.SQLITE_FULL || c == codes.SQLITE_IOERR_WRITE || c == codes.SQLITE_IOERR_SHMSIZE
}

// code returns SQLite's extended result code, or 0 for any other error.
func code(err error) int {
	var refused *driver.Error
	if !errors.As(err, &refused) {
		return 0
	}
	return refused.Code()
}
