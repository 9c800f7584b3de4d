package engine

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"dailies/db/naming"
)

// A Tx is a transaction that keeps its first error. From then on its methods, and the
// functions of this package that read with it, do nothing, and what they return is zero.
// The transaction is then rolled back, and the error returned unchanged to whoever began
// it.
//
// A function that gets a Tx can therefore run one statement after another without a look
// at errors in between, as long as nothing depends on what it has read. Before a decision
// that does, it asks OK; so does a loop that something read must end, and whatever reaches
// beyond the transaction, such as a call of the caller's function.
type Tx struct {
	ctx   context.Context
	about []string // what errors are about, the outermost first
	*work
}

// work is the transaction itself, with its first error. About and In return further values
// of type Tx that point to the same work: an error of one of them stops all.
type work struct {
	on  runner
	err error
}

// A runner runs statements: a transaction, or a pool of connections.
type runner interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// InTx returns a function that runs do in the transaction that it gets, and returns the
// first error. Each call begins without one.
func InTx(ctx context.Context, do func(*Tx)) func(*sql.Tx) error {
	return func(raw *sql.Tx) error {
		tx := &Tx{ctx: ctx, work: &work{on: raw}}
		do(tx)
		return tx.err
	}
}

// Context returns the context of the transaction, which names the actor.
func (t *Tx) Context() context.Context { return t.ctx }

// In returns the same transaction with another context.
func (t *Tx) In(ctx context.Context) *Tx { return &Tx{ctx, t.about, t.work} }

// About returns the same transaction. An error of what is done with it says what it is
// about: see the function About.
func (t *Tx) About(what string) *Tx {
	return &Tx{t.ctx, append(slices.Clip(t.about), what), t.work}
}

// Err returns the first error.
func (t *Tx) Err() error { return t.err }

// OK reports whether nothing has failed yet.
func (t *Tx) OK() bool { return t.err == nil }

// Check keeps the error, if there is one and nothing has failed before.
func (t *Tx) Check(err error) {
	if t.err != nil || err == nil {
		return
	}
	for _, what := range slices.Backward(t.about) {
		err = About(what, err)
	}
	t.err = err
}

// Require keeps the error unless the condition holds.
func (t *Tx) Require(holds bool, err error) {
	if !holds {
		t.Check(err)
	}
}

// Exec runs the statement, and returns how many rows it has changed.
func (t *Tx) Exec(query string, args ...any) (rows int) {
	if t.err != nil {
		return 0
	}
	rows, err := Changed(t.on.ExecContext(t.ctx, query, args...))
	t.Check(err)
	return rows
}

// ExecOr runs the statement, and keeps the error otherwise if it has changed no row.
func (t *Tx) ExecOr(otherwise error, query string, args ...any) {
	t.Require(t.Exec(query, args...) > 0, otherwise)
}

// Insert runs a statement that returns an ID, and sets it. If that fails, id stays as it
// is, because it may be the caller's.
func (t *Tx) Insert(id *int64, query string, args ...any) { t.Row(query, args...).Scan(id) }

// Count returns the number of rows of the query.
func (t *Tx) Count(query string, args ...any) int {
	return Value[int](t, `SELECT count(*) FROM (`+query+`) row`, args...)
}

// Row runs a query for one row.
func (t *Tx) Row(query string, args ...any) Row { return Row{t, query, args} }

// A Row is a query for one row, which is run when it is scanned.
type Row struct {
	tx    *Tx
	query string
	args  []any
}

// Scan reads the row into the destinations. If there is none, it fails with
// sql.ErrNoRows.
func (r Row) Scan(into ...any) {
	if r.tx.err == nil {
		r.tx.Check(r.tx.on.QueryRowContext(r.tx.ctx, r.query, r.args...).Scan(into...))
	}
}

// Find is like Scan, but reports whether there is a row.
func (r Row) Find(into ...any) (found bool) {
	if r.tx.err != nil {
		return false
	}
	err := r.tx.on.QueryRowContext(r.tx.ctx, r.query, r.args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	r.tx.Check(err)
	return err == nil
}

// Value reads a single value. If there is no row, it fails with sql.ErrNoRows.
func Value[T any](t *Tx, query string, args ...any) (v T) {
	t.Row(query, args...).Scan(&v)
	return v
}

// Each calls see for each row of the query, until it returns an error.
func (t *Tx) Each(see func(*sql.Rows) error, query string, args ...any) {
	if t.err != nil {
		return
	}
	rows, err := t.on.QueryContext(t.ctx, query, args...)
	if err != nil {
		t.Check(err)
		return
	}
	defer rows.Close()
	for err == nil && rows.Next() {
		err = see(rows)
	}
	t.Check(err)
	t.Check(rows.Err())
}

// All reads every row of the query with scan. It is compiled once for a type, and not into
// each of its many callers.
//
//go:noinline
func All[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) (found []T) {
	t.Each(func(rows *sql.Rows) error {
		v, err := scan(rows)
		found = append(found, v)
		return err
	}, query, args...)
	if t.err != nil {
		return nil
	}
	return found
}

// One reads the first row of the query with scan. If there is none, it fails with
// sql.ErrNoRows.
func One[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) T {
	v, found := Find(t, scan, query, args...)
	t.Require(found, sql.ErrNoRows)
	return v
}

// Find is like One, but reports whether there is a row.
func Find[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) (v T, found bool) {
	list := All(t, scan, query, args...)
	if len(list) == 0 {
		return v, false
	}
	return list[0], true
}

// IsFree reports whether none of the names that the query selects has the key of this
// one.
func IsFree(t *Tx, name, query string, args ...any) bool {
	names := All(t, ScanValue[string], query, args...)
	return !slices.ContainsFunc(names, func(n string) bool { return naming.Key(n) == naming.Key(name) })
}

// ReadAll is like All, for a query that needs no transaction. An error says what it is
// about.
func ReadAll[T any](ctx context.Context, pool *sql.DB, what string, scan func(*sql.Rows) (T, error), query string,
	args ...any) ([]T, error) {
	look := on(ctx, pool).About(what)
	found := All(look, scan, query, args...)
	return found, look.err
}

// ReadOne is like ReadAll, for the first row. If there is none, it returns
// db.ErrNotFound.
func ReadOne[T any](ctx context.Context, pool *sql.DB, what string, scan func(*sql.Rows) (T, error), query string, args ...any) (T, error) {
	look := on(ctx, pool).About(what)
	found := One(look, scan, query, args...)
	return found, look.err
}

// ReadValue is like ReadOne, for a single value.
func ReadValue[T any](ctx context.Context, pool *sql.DB, what, query string, args ...any) (T, error) {
	look := on(ctx, pool).About(what)
	found := Value[T](look, query, args...)
	return found, look.err
}

// on returns a Tx whose statements run each for themselves.
func on(ctx context.Context, pool *sql.DB) *Tx { return &Tx{ctx: ctx, work: &work{on: pool}} }

// raw calls do with the transaction itself, for what an Engine does with it.
func (t *Tx) raw(do func(*sql.Tx) error) {
	if t.err == nil {
		t.Check(do(t.on.(*sql.Tx)))
	}
}
