package sqlite

import (
	"context"
	"database/sql"

	engine "modernc.org/sqlite"
)

// OpenPool opens a pool as the store does.
func OpenPool(dsn string) (*sql.DB, error) { return openPool(context.Background(), dsn) }

// MostPrepared is how many prepared statements a connection keeps.
const MostPrepared = mostPrepared

// Kept returns how many idle statements the connection keeps (-1 if its two lists
// of them differ), and how many bytes SQLite needs for all prepared statements.
func Kept(c *sql.Conn) (statements, bytes int, err error) {
	err = c.Raw(func(of any) error {
		own := of.(*conn)
		statements = len(own.kept)
		if own.idle.Len() != statements {
			statements = -1
		}
		bytes, _, err = own.engineConn.(engine.DBStatus).Status(engine.DBStatusStmtUsed, false)
		return err
	})
	return statements, bytes, err
}

// Matches reports whether has_words finds the expression in the text.
func Matches(match, text string) bool { return newMatcher(match).matches(text) }

// LogPages returns how many pages the write-ahead log has, or 0 if that is not known.
func (d *DB) LogPages() uint32 { return d.logPages() }
