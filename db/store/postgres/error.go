package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// code returns the server's SQLSTATE code of the error, such as 23505, or "" for
// any other error.
func code(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}

// IsDuplicate reports whether a write was refused because the row already exists.
func IsDuplicate(err error) bool { return code(err) == "23505" }

// IsOrphan reports whether a write was refused because it refers to a row that does
// not exist.
func IsOrphan(err error) bool { return code(err) == "23503" }

// IsFull reports whether a write failed because the server's disk is full.
func IsFull(err error) bool { return code(err) == "53100" }

// advised explains a refusal of the server to let the user make or use tables, which
// Postgres expresses as "permission denied for schema public", with what to do about it.
// It returns every other error as it is.
func (d *DB) advised(ctx context.Context, err error) error {
	if code(err) != "42501" {
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
	switch code(err) {
	case "28P01", "28000":
		return errors.New("the server refuses the user or the password")
	case "3D000":
		return errors.New("the server has no such database; make it with: createdb " + databaseOf(err))
	}
	said := strings.Join(strings.Fields(err.Error()), " ") // one line, even if several hosts were tried
	return fmt.Errorf("the server cannot be reached: %s", address.ReplaceAllString(said, "$1@"))
}
