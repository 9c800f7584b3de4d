package postgres

import (
	"context"
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"dailies/db/store/engine"
)

// A connector makes connections that accept the statements of package store.
type connector struct {
	driver.Connector
	setLocal string // SET LOCAL statements with which every transaction begins, if there is a pooler
	observe  engine.Observer
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{opened.(*stdlib.Conn), c.setLocal, c.observe}, nil
}

// A conn is a connection that translates statements with Rewrite and converts their
// parameters to the types that SQLite stores: integers, floats, text and bytes.
type conn struct {
	*stdlib.Conn
	setLocal string
	observe  engine.Observer
}

// ToServer returns the connection itself. A wrapper of an engine.Wrapper has the method too.
func (c *conn) ToServer() *pgx.Conn { return c.Conn.Conn() }

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	text, args = withoutUnused(Rewrite(text), args)
	c.observe(text, args)
	return c.Conn.ExecContext(ctx, text, args)
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	text, args = withoutUnused(Rewrite(text), args)
	c.observe(text, args)
	return c.Conn.QueryContext(ctx, text, args)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, Rewrite(text))
}

// CheckNamedValue implements driver.NamedValueChecker: booleans become integers,
// and text is freed of what the server refuses.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	value, err := driver.DefaultParameterConverter.ConvertValue(v.Value)
	if err != nil {
		return err
	}
	switch is := value.(type) {
	case bool:
		value = int64(0)
		if is {
			value = int64(1)
		}
	case string:
		value = engine.Text(is)
	}
	v.Value = value
	return nil
}

// rewriter removes the order in which SQLite must read tables, and renames the
// function that expands a JSON array, because Postgres has another function of that
// name.
var rewriter = strings.NewReplacer("CROSS JOIN ", "JOIN ", " NOT INDEXED", "", "json_each(", "each_of(")

// Rewrite translates a statement of package store for Postgres. This is the only
// place where the text of statements differs: hints to SQLite's planner, which has
// no statistics, mean nothing here.
func Rewrite(text string) string {
	text = rewriter.Replace(text)
	const hint = " INDEXED BY "
	for {
		before, after, found := strings.Cut(text, hint)
		if !found {
			return text
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
		if end < 0 {
			end = len(after)
		}
		text = before + after[end:]
	}
}

// parameter matches a parameter of a statement. The store's SQL has no other dollar
// signs.
var parameter = regexp.MustCompile(`\$[0-9]+`)

// withoutUnused returns the statement and its arguments without those parameters
// that it does not mention, because the server cannot tell their types.
func withoutUnused(text string, args []driver.NamedValue) (string, []driver.NamedValue) {
	places := make([]int, len(args)+1) // by parameter number: 1 if mentioned, later its new number
	for _, found := range parameter.FindAllString(text, -1) {
		if n, err := strconv.Atoi(found[1:]); err == nil && n <= len(args) {
			places[n] = 1
		}
	}
	var kept []driver.NamedValue
	for n, arg := range args {
		if places[n+1] == 1 {
			arg.Ordinal = len(kept) + 1
			kept = append(kept, arg)
			places[n+1] = arg.Ordinal
		}
	}
	if len(kept) == len(args) {
		return text, args
	}
	return parameter.ReplaceAllStringFunc(text, func(found string) string {
		if n, err := strconv.Atoi(found[1:]); err == nil && n <= len(args) {
			return "$" + strconv.Itoa(places[n])
		}
		return found
	}), kept
}

// writable returns an error for a server that is read-only, such as a standby.
func writable(ctx context.Context, c *pgconn.PgConn) error {
	return pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, c)
}
