// Package db defines the domain types of Dailies and their rules: what an account,
// a session, a key, a task and a kept file are, and what may happen to each. It
// does no I/O and contains no SQL; package db/store stores the types defined here.
//
// Times are UTC with millisecond precision, as they are stored.
package db

import (
	"errors"
	"time"
)

var (
	// ErrNotFound says that the requested thing does not exist, or that the person
	// may not see it.
	ErrNotFound = errors.New("not found")

	// ErrConflict says that the change contradicts what is stored: for example, the
	// address is taken, the link was used, or the task has moved on.
	ErrConflict = errors.New("conflict")

	// ErrTaken says that another task already has this RemoteID.
	ErrTaken = errors.New("taken")

	// ErrUnavailable says that the file storage cannot be used at the moment.
	ErrUnavailable = errors.New("the storage is not available")

	// ErrFull says that the maximum number of something has been reached.
	ErrFull = errors.New("as many as there may be")
)

// Now returns the current time as the store will return it: UTC, in whole
// milliseconds.
func Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
