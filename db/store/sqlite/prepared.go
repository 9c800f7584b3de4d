package sqlite

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	engine "modernc.org/sqlite"

	store "dailies/db/store/engine"
)

// mostPrepared is how many statements a connection keeps: more than a page and the
// watcher use, but few enough that their memory does not matter.
const mostPrepared = 48

// openPool opens a pool of connections that keep their prepared statements.
// SQLite takes longer to parse a statement than to run it.
func openPool(ctx context.Context, dsn string) (*sql.DB, error) {
	d := &engine.Driver{}
	if err := addFunctions(d); err != nil {
		return nil, err
	}
	return sql.OpenDB(store.WrapperIn(ctx)(connector{d, dsn, store.ObserverIn(ctx)})), nil
}

type connector struct {
	driver  *engine.Driver
	dsn     string
	observe store.Observer
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &conn{engineConn: opened.(engineConn), observe: c.observe, kept: map[string]*list.Element{}}, nil
}

// engineConn lists the methods of the driver's connections.
type engineConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// engineStmt lists the methods of the driver's statements.
type engineStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// A conn is a connection that keeps its idle prepared statements, the most recently
// used first. A statement in use is never among them, so the same text may be
// prepared a second time meanwhile. Like every driver's connection it serves one
// goroutine at a time.
type conn struct {
	engineConn
	observe store.Observer
	idle    list.List                // of *prepared, most recently used first
	kept    map[string]*list.Element // the elements of idle, by the text of their statements
}

// A prepared is a prepared statement and its text.
type prepared struct {
	text string
	engineStmt
}

// Close implements driver.Conn. SQLite does not close a connection with open
// statements.
func (c *conn) Close() error {
	for c.idle.Len() > 0 {
		c.forget(c.idle.Back())
	}
	return c.engineConn.Close()
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.observe(text, args)
	p, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.engineConn.ExecContext(ctx, text, args)
	}
	result, err := p.ExecContext(ctx, args)
	c.giveBack(p, err)
	return result, err
}

// QueryContext implements driver.QueryerContext. The statement is in use until
// its rows are closed.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	c.observe(text, args)
	p, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.engineConn.QueryContext(ctx, text, args)
	}
	found, err := p.QueryContext(ctx, args)
	if err != nil {
		c.giveBack(p, err)
		return nil, err
	}
	return &rows{found, c, p}, nil
}

// take returns the statement, kept or newly prepared, or nil if it must not be
// kept.
func (c *conn) take(ctx context.Context, text string) (*prepared, error) {
	if e, ok := c.kept[text]; ok {
		delete(c.kept, text)
		return c.idle.Remove(e).(*prepared), nil
	}
	if !keepable(text) {
		return nil, nil
	}
	s, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return &prepared{text, s.(engineStmt)}, nil
}

// giveBack keeps the statement for its next use. After an error it is closed
// instead, because it may be halfway through its rows.
func (c *conn) giveBack(p *prepared, err error) {
	if _, twice := c.kept[p.text]; err != nil || twice {
		_ = p.Close() // at most it repeats the known error
		return
	}
	c.kept[p.text] = c.idle.PushFront(p)
	if c.idle.Len() > mostPrepared {
		c.forget(c.idle.Back())
	}
}

// forget closes an idle statement.
func (c *conn) forget(e *list.Element) {
	p := c.idle.Remove(e).(*prepared)
	delete(c.kept, p.text)
	_ = p.Close() // it was reset, so it has no error left to report
}

// rows gives its statement back when it is closed.
type rows struct {
	driver.Rows
	conn *conn
	of   *prepared
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	err := r.Rows.Close()
	if r.of != nil {
		r.conn.giveBack(r.of, err)
		r.of = nil
	}
	return err
}

// keepable reports whether the text is a single statement that reads or changes
// rows. Others are rare and must not be kept: a script is parsed statement by
// statement while it runs, and a pragma takes effect while it is parsed.
func keepable(text string) bool {
	text = strings.TrimLeft(text, " \t\n")
	verb := text[:max(0, strings.IndexAny(text, " \t\n"))]
	switch verb {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE":
		return !strings.Contains(text, ";")
	}
	return false
}
