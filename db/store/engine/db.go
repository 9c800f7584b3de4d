package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"
)

// A DB is an open database: its engine, and the pools of connections through which single
// statements run. The stores are built on it.
type DB struct {
	Engine
	Writes *sql.DB
	Reads  *sql.DB

	// FreeSpace frees some of the disk space that is reserved for writes that must not
	// fail, and reports whether there was any. It may be nil.
	FreeSpace func() bool
}

// Now returns the time by the clock that all processes on the database share, as it is
// stored.
func (d *DB) Now() time.Time { return d.Engine.Now().UTC().Truncate(time.Millisecond) }

// Write runs do in one transaction: see Engine.Write and Tx.
func (d *DB) Write(ctx context.Context, do func(*Tx)) error {
	return d.again(ctx, func() error { return d.Engine.Write(ctx, InTx(ctx, do)) })
}

// WriteDurably is like Write, as described at Engine.WriteDurably.
func (d *DB) WriteDurably(ctx context.Context, do func(*Tx)) error {
	return d.again(ctx, func() error { return d.Engine.WriteDurably(ctx, InTx(ctx, do)) })
}

// WriteErasing is like Write, as described at Engine.WriteErasing.
func (d *DB) WriteErasing(ctx context.Context, do func(*Tx)) error {
	return d.again(ctx, func() error { return d.Engine.WriteErasing(ctx, InTx(ctx, do)) })
}

// WriteRow is like Write, as described at Engine.WriteRow.
func (d *DB) WriteRow(ctx context.Context, durably bool, table string, id int64, do func(*Tx)) error {
	return d.again(ctx, func() error { return d.Engine.WriteRow(ctx, durably, table, id, InTx(ctx, do)) })
}

// again calls write, and once more if the disk was full and the engine's log has space for it.
// write may therefore be called twice, as it may be where transactions conflict.
func (d *DB) again(ctx context.Context, write func() error) error {
	err := write()
	if !IsFull(err) {
		return err
	}
	// A failure needs no other answer than that of write.
	_, _ = d.ReuseLog(ctx)
	return write()
}

// Read runs do on a single snapshot of the database, as described at Engine.Read.
func (d *DB) Read(ctx context.Context, do func(*Tx)) error {
	return d.Engine.Read(ctx, InTx(ctx, do))
}

// Read returns what do reads on a single snapshot of the database. An error says what it
// is about. Like All, it is compiled once for a type.
//
//go:noinline
func Read[T any](ctx context.Context, d snapshots, what string, do func(*Tx) T) (v T, err error) {
	err = d.Read(ctx, func(tx *Tx) { v = do(tx) })
	return v, About(what, err)
}

// snapshots is a DB, or a type that embeds one.
type snapshots interface {
	Read(ctx context.Context, do func(*Tx)) error
}

// Reading returns a Tx for queries that need no common snapshot: each runs for itself.
func (d *DB) Reading(ctx context.Context) *Tx { return on(ctx, d.Reads) }

// Others returns the other processes on the database: see Engine.Others.
func (d *DB) Others(t *Tx) (others []Process) {
	t.raw(func(raw *sql.Tx) (err error) {
		others, err = d.Engine.Others(t.ctx, raw)
		return err
	})
	return others
}

// Notify tells other processes what has happened: see Engine.Notify.
func (d *DB) Notify(t *Tx, what string) {
	t.raw(func(raw *sql.Tx) error { return d.Engine.Notify(t.ctx, raw, what) })
}

// PlanEach makes the engine plan each further statement: see Engine.PlanEach.
func (d *DB) PlanEach(t *Tx) {
	t.raw(func(raw *sql.Tx) error { return d.Engine.PlanEach(t.ctx, raw) })
}

// LastNumber returns the last ID that was assigned in the table: see Engine.LastNumber.
func (d *DB) LastNumber(t *Tx, table string) (last int64) {
	t.raw(func(raw *sql.Tx) (err error) {
		last, err = d.Engine.LastNumber(t.ctx, raw, table)
		return err
	})
	return last
}

// SetLastNumber makes the database continue to assign IDs after last.
func (d *DB) SetLastNumber(t *Tx, table string, last int64) {
	t.raw(func(raw *sql.Tx) error { return d.Engine.SetLastNumber(t.ctx, raw, table, last) })
}

// WriteAccess is like Write, for what signing in and out needs. On a full disk it uses
// the reserved space; do may then be called more than once.
func (d *DB) WriteAccess(ctx context.Context, do func(*Tx)) error {
	return d.EvenIfFull(ctx, func() error { return d.Engine.Write(ctx, InTx(ctx, do)) })
}

// EvenIfFull calls write. As long as that fails because the disk is full, it makes room
// and calls it again: first in the engine's log, then from the reserved space.
func (d *DB) EvenIfFull(ctx context.Context, write func() error) error {
	err := write()
	for reused := false; IsFull(err); reused = true {
		if reused && (d.FreeSpace == nil || !d.FreeSpace()) {
			break
		}
		// A failure needs no other answer than that of write.
		_, _ = d.ReuseLog(ctx)
		err = write()
	}
	return err
}

// Exec runs a single statement, and returns how many rows it has changed.
func (d *DB) Exec(ctx context.Context, query string, args ...any) (rows int, err error) {
	err = d.again(ctx, func() (err error) {
		rows, err = Changed(d.Writes.ExecContext(ctx, query, args...))
		return err
	})
	return rows, err
}

// ExecOr runs a single statement, and returns the error otherwise if it has changed no
// row.
func (d *DB) ExecOr(ctx context.Context, otherwise error, query string, args ...any) error {
	rows, err := d.Exec(ctx, query, args...)
	if err == nil && rows == 0 {
		err = otherwise
	}
	return err
}

// ExecInBatches runs a single statement, which changes at most BatchSize rows, until
// fewer are left. Other writes can happen in between.
func (d *DB) ExecInBatches(ctx context.Context, query string, args ...any) error {
	return InBatches(func() (int, error) { return d.Exec(ctx, query, args...) })
}

// An Observer is called with every statement that a database runs, as the server gets
// it. It must be safe for use by several goroutines, and must not change the arguments.
type Observer func(text string, args []driver.NamedValue)

type observerKey struct{}

// WithObserver returns a context. A database that is opened with it reports its
// statements to the observer.
func WithObserver(ctx context.Context, observe Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observe)
}

// ObserverIn returns the observer of the context, which does nothing if there is none.
func ObserverIn(ctx context.Context) Observer {
	if observe, ok := ctx.Value(observerKey{}).(Observer); ok {
		return observe
	}
	return func(string, []driver.NamedValue) {}
}

// A Wrapper returns a connector that reaches the database through another one, so that a
// test can make calls fail.
type Wrapper func(driver.Connector) driver.Connector

type wrapperKey struct{}

// WithWrapper returns a context. A database that is opened with it connects through the
// wrapper's connectors. The server opens its database without one.
func WithWrapper(ctx context.Context, wrap Wrapper) context.Context {
	return context.WithValue(ctx, wrapperKey{}, wrap)
}

// WrapperIn returns the wrapper of the context, which changes nothing if there is none.
func WrapperIn(ctx context.Context) Wrapper {
	if wrap, ok := ctx.Value(wrapperKey{}).(Wrapper); ok {
		return wrap
	}
	return func(c driver.Connector) driver.Connector { return c }
}
