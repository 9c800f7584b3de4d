// Package db defines what a video is and what may happen to it: a task, its states, its
// files, its cost, why it failed, and who may see it. The packages beside it that define
// other nouns, such as db/gallery and db/team, build on it. None of them does I/O or
// contains SQL; package db/store stores the types that they define.
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
