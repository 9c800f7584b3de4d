package failtest

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
)

func (p *Plan) wrap(c driver.Connector) driver.Connector { return connector{c, p} }

type connector struct {
	driver.Connector
	plan *Plan
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn{opened.(engineConn), c.plan}, nil
}

// engineConn lists the methods that the connections of every engine have.
type engineConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

type conn struct {
	engineConn
	plan *Plan
}

// BeginTx implements driver.ConnBeginTx.
func (c conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if _, err := c.plan.call(begin, ""); err != nil {
		return nil, err
	}
	began, err := c.engineConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return tx{began, c.plan}, nil
}

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if _, err := c.plan.call(prepared, text); err != nil {
		return nil, err
	}
	return c.engineConn.PrepareContext(ctx, text)
}

// ExecContext implements driver.ExecerContext.
func (c conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if _, err := c.plan.call(exec, text); err != nil {
		return nil, err
	}
	return c.engineConn.ExecContext(ctx, text, args)
}

// QueryContext implements driver.QueryerContext.
func (c conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if _, err := c.plan.call(query, text); err != nil {
		return nil, err
	}
	found, err := c.engineConn.QueryContext(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return rows{found, c.plan, text}, nil
}

// IsValid implements driver.Validator.
func (c conn) IsValid() bool {
	checked, ok := c.engineConn.(driver.Validator)
	return !ok || checked.IsValid()
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c conn) CheckNamedValue(v *driver.NamedValue) error {
	if checks, ok := c.engineConn.(driver.NamedValueChecker); ok {
		return checks.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// ToServer is the method of the same name of a connection to a Postgres server.
func (c conn) ToServer() *pgx.Conn {
	return c.engineConn.(interface{ ToServer() *pgx.Conn }).ToServer()
}

type rows struct {
	driver.Rows
	plan *Plan
	text string
}

// Next implements driver.Rows.
func (r rows) Next(values []driver.Value) error {
	if _, err := r.plan.call(next, r.text); err != nil {
		return err
	}
	err := r.Rows.Next(values)
	if err == nil {
		r.plan.read()
	}
	return err
}

type tx struct {
	driver.Tx
	plan *Plan
}

// Commit implements driver.Tx. A commit that fails rolls the transaction back, unless only
// its answer is lost.
func (t tx) Commit() error {
	lost, err := t.plan.call(commit, "")
	switch {
	case err == nil:
		return t.Tx.Commit()
	case lost:
		return errors.Join(err, t.Tx.Commit())
	}
	return errors.Join(err, t.Tx.Rollback())
}
