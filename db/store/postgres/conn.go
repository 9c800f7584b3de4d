package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// advised explains a refusal of the server to let the user make or use tables, which
// Postgres expresses as "permission denied for schema public", with what to do about it.
// It returns every other error as it is.
func (d *DB) advised(ctx context.Context, err error) error {
	if engine.SQLState(err) != "42501" {
		return err
	}
	const who = `SELECT current_database(), current_user, coalesce((SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('schema_version')), '')`
	var database, user, owner string
	if unknown := d.Reads.QueryRowContext(ctx, who).Scan(&database, &user, &owner); unknown != nil {
		return errors.Join(err, unknown)
	}
	if owner != "" && owner != user {
		return fmt.Errorf("the tables belong to the user %s; use that one in the address instead of %s (%w)", owner, user, err)
	}
	return fmt.Errorf("the user of the database may not make tables in it; make the user its owner: ALTER DATABASE %s OWNER TO %s (%w)",
		quoted(database), quoted(user), err)
}

// simple matches a name that SQL takes without quotation marks.
var simple = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// quoted returns a name for a statement that a person types.
func quoted(name string) string {
	if simple.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}

// address matches the beginning of an address with a password.
var address = regexp.MustCompile(`(postgres(?:ql)?://[^:@/\s]*):[^@\s]*@`)

// databaseOf returns the name of the database that could not be connected to.
func databaseOf(err error) string {
	var failed *pgconn.ConnectError
	if errors.As(err, &failed) {
		return failed.Config.Database
	}
	return "dailies"
}

// plain returns an error about a connection in words for the operator, without
// secrets.
func plain(err error) error {
	if errors.Is(err, errNotHeard) {
		return errNotHeard
	}
	switch engine.SQLState(err) {
	case "28P01", "28000":
		return errors.New("the server refuses the user or the password")
	case "3D000":
		return errors.New("the server has no such database; make it with: createdb " + databaseOf(err))
	}
	// One line, even if several hosts were tried, or one with and without TLS for the same
	// answer.
	var causes []string
	for line := range strings.Lines(err.Error()) {
		if cause := strings.Join(strings.Fields(line), " "); cause != "" &&
			!slices.ContainsFunc(causes, func(said string) bool { return strings.HasSuffix(said, cause) }) {
			causes = append(causes, cause)
		}
	}
	said := strings.Join(causes, " ")
	return fmt.Errorf("the server cannot be reached: %s", address.ReplaceAllString(said, "$1@"))
}
