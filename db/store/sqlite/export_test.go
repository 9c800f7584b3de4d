package sqlite

import (
	"database/sql"

	engine "modernc.org/sqlite"
)

// OpenPool opens a pool as the store does.
var OpenPool = openPool

// MostPrepared is how many statements a connection keeps.
const MostPrepared = mostPrepared

// Kept returns how many statements the connection keeps, and how many bytes the
// engine needs for all that it has parsed.
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
