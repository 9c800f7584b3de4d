package engine

import (
	"context"
	"database/sql"
	"time"
)

// A DB is an open database: its engine, and the pools of connections through which single
// statements run. The stores are built on it.
type DB struct {
	Engine
	Writes *sql.DB
	Reads  *sql.DB

	// FreeRoom frees some of the disk space that is reserved for writes that must not
	// fail, and reports whether there was any. It may be nil.
	FreeRoom func() bool
}

// Now returns the time by the clock that all processes on the database share, as it is
// stored.
func (d *DB) Now() time.Time { return d.Engine.Now().UTC().Truncate(time.Millisecond) }

// WriteAccess is like Write, for what signing in and out needs. On a full disk it uses
// the reserved space; do may then be called more than once.
func (d *DB) WriteAccess(ctx context.Context, do func(*sql.Tx) error) error {
	return d.EvenIfFull(ctx, func() error { return d.Write(ctx, do) })
}

// EvenIfFull calls write. As long as that fails because the disk is full, it makes room
// and calls it again: first in the engine's log, then from the reserved space.
func (d *DB) EvenIfFull(ctx context.Context, write func() error) error {
	err := write()
	for reused := false; IsFull(err); reused = true {
		if reused && (d.FreeRoom == nil || !d.FreeRoom()) {
			break
		}
		// A failure needs no other answer than that of write.
		_, _ = d.ReuseLog(ctx)
		err = write()
	}
	return err
}
