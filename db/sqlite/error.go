package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"dailies/db"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// about says what the error is about and turns what the database said into the
// words of package db. It returns nil for nil.
func about(what string, err error) error {
	var refused *driver.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = db.ErrNotFound
	case errors.As(err, &refused):
		switch refused.Code() {
		case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY:
			err = db.ErrConflict
		case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
			err = db.ErrNotFound // it belongs to something that is not there
		}
	}
	return fmt.Errorf("%s: %w", what, withRemedy(err))
}

// Remedy says what to do about a database that is damaged.
const Remedy = `stop Dailies, keep a copy of the data folder, and make a new one of a backup: dailies restore FILE -data NEW`

// withRemedy adds what to do to an error that says that the file is damaged.
func withRemedy(err error) error {
	var refused *driver.Error
	if errors.As(err, &refused) {
		switch refused.Code() & 0xff {
		case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
			return fmt.Errorf("%w: %s", err, Remedy)
		}
	}
	return err
}

// Full reports whether a write failed because the disk, or the file's bound, is
// full.
func Full(err error) bool {
	var refused *driver.Error
	if !errors.As(err, &refused) {
		return false
	}
	code := refused.Code()
	return code&0xff == codes.SQLITE_FULL || code == codes.SQLITE_IOERR_WRITE || code == codes.SQLITE_IOERR_SHMSIZE
}

func user(id int64) string { return fmt.Sprintf("user %d", id) }

func task(id int64) string { return fmt.Sprintf("task %d", id) }

// found takes the result of a change to something that must be there.
func found(result sql.Result, err error) error { return met(result, err, db.ErrNotFound) }

// held takes the result of a change to something that must be as it was.
func held(result sql.Result, err error) error { return met(result, err, db.ErrConflict) }

func met(result sql.Result, err, otherwise error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return otherwise
}

// all reads every row with scan and closes rows.
func all[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, rows.Err()
}

// one reads the only row with scan; without a row it is sql.ErrNoRows.
func one[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) (T, error) {
	found, err := all(rows, err, scan)
	if err == nil && len(found) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}
