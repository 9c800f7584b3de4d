package store

import (
	"database/sql"
	"errors"
	"fmt"

	"dailies/db"
	"dailies/db/store/sqlite"
)

// about says what the error is about and turns what the database said into the
// words of package db. It returns nil for nil.
func about(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = db.ErrNotFound
	case sqlite.IsDuplicate(err):
		err = db.ErrConflict
	case sqlite.IsOrphan(err):
		err = db.ErrNotFound
	}
	return fmt.Errorf("%s: %w", what, sqlite.WithRemedy(err))
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
