package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync"

	store "dailies/db/store/engine"
)

// A versionReader reads the header of the wal-index, which every process changes when it
// commits a transaction: it contains a counter of transactions, and the length and the
// checksum of the write-ahead log (https://www.sqlite.org/walformat.html). That takes less
// than a microsecond, and any statement several.
type versionReader struct {
	path   string    // of the database
	pool   *sql.DB   // nil if the database is only read
	conn   *sql.Conn // as long as it is open, the file is not deleted
	index  *os.File  // nil if it cannot be read
	once   sync.Once // opens conn and index
	closed sync.Once // conn and pool
	left   sync.Once // index
}

// Version returns a value that changes with each transaction that is committed, by this
// process or another one. known is false if it cannot be determined.
func (d *DB) Version() (v store.Version, known bool) {
	d.version.once.Do(d.version.open)
	if d.version.index == nil {
		return v, false
	}
	if n, err := d.version.index.ReadAt(v[:], 0); err != nil || n < len(v) {
		return v, false
	}
	const format, initialised = 3007000, 12
	return v, binary.NativeEndian.Uint32(v[:]) == format && v[initialised] == 1
}

// open opens the wal-index, and a connection that keeps it: SQLite deletes the file when
// the last one is closed. Where files and mapped memory may differ for a moment, nothing
// is opened.
func (r *versionReader) open() {
	if r.pool == nil || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return
	}
	ctx := context.Background() // it outlives the request that needs it first
	conn, err := r.pool.Conn(ctx)
	if err != nil {
		return
	}
	var tables int
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err == nil {
		r.index, _ = os.Open(r.path + "-shm")
	}
	if r.index == nil {
		_ = conn.Close()
		return
	}
	r.conn = conn
}

// close closes the connection, but not yet the file: that would release the locks that
// SQLite's other connections in this process hold on it. It may be called more than once.
func (r *versionReader) close() (err error) {
	r.once.Do(func() {}) // it is not opened any more
	r.closed.Do(func() {
		if r.conn != nil {
			err = r.conn.Close()
		}
		if r.pool != nil {
			err = errors.Join(err, r.pool.Close())
		}
	})
	return err
}

// leave closes the file, once all connections are closed.
func (r *versionReader) leave() (err error) {
	r.left.Do(func() {
		if r.index != nil {
			err = r.index.Close()
		}
	})
	return err
}
