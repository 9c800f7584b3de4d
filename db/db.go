// Package db holds the nouns of Dailies and their rules: what an account, a
// session, a key, a task and a kept file are, and what may happen to each.
// It does no I/O and knows no SQL; package db/store keeps what is defined
// here.
//
// Times are UTC with millisecond precision, because that is what is kept.
package db

import (
	"errors"
	"time"
)

var (
	// ErrNotFound says that the thing asked for does not exist, or is not
	// there for the one who asks.
	ErrNotFound = errors.New("not found")

	// ErrConflict says that the change does not fit what is already kept: the
	// address is taken, the link was used, the task has moved on.
	ErrConflict = errors.New("conflict")

	// ErrTaken says that the service's id belongs to another task already.
	ErrTaken = errors.New("taken")

	// ErrUnavailable says that the storage of files cannot be used at the moment.
	ErrUnavailable = errors.New("the storage is not available")

	// ErrFull says that there are as many of something as there may be.
	ErrFull = errors.New("as many as there may be")
)

// Now returns the present as it will be read back: UTC, in whole milliseconds.
func Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
