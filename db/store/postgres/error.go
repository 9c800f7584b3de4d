package postgres

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

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

// forbidden explains a refusal of the server to let the user make tables, which Postgres
// expresses as "permission denied for schema public".
func forbidden(err error) error {
	if code(err) != "42501" {
		return err
	}
	return fmt.Errorf("the user of the database may not make tables in it; make the user its owner: ALTER DATABASE dailies OWNER TO dailies (%w)", err)
}

// address matches the beginning of an address with a password.
var address = regexp.MustCompile(`(postgres(?:ql)?://[^:@/\s]*):[^@\s]*@`)

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
		return errors.New("the server has no such database; make it with: createdb dailies")
	}
	said := strings.Join(strings.Fields(err.Error()), " ") // one line, even if several hosts were tried
	return fmt.Errorf("the server cannot be reached: %s", address.ReplaceAllString(said, "$1@"))
}
