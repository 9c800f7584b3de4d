package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dailies/db/store/engine"
)

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
		if cause := strings.Join(strings.Fields(line), " "); cause != "" && !slices.ContainsFunc(causes, func(said string) bool { return strings.HasSuffix(said, cause) }) {
			causes = append(causes, cause)
		}
	}
	said := strings.Join(causes, " ")
	return fmt.Errorf("the server cannot be reached: %s", address.ReplaceAllString(said, "$1@"))
}
