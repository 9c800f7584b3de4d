package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"os"
	"sync"
)

// checkpointAt is the number of pages in the write-ahead log from which it is copied into
// the database file.
const checkpointAt = 1000

// A checkpointer copies the write-ahead log into the database file, with a connection of
// its own: it writes a thousand pages in many places and syncs two files, and a write
// would have to wait for that if its commit did the same, as SQLite does by default.
type checkpointer struct {
	path  string        // of the log
	pool  *sql.DB       // one connection; nil if the database is only read
	wrote chan struct{} // has an element if a transaction was committed
	mu    sync.Mutex    // SQLite refuses a second checkpoint at the same time
}

// after returns the error of a transaction, and tells Stay if it was committed.
func (c *checkpointer) after(err error) error {
	if err == nil {
		select {
		case c.wrote <- struct{}{}:
		default: // Stay will look, or nobody does
		}
	}
	return err
}

func (c *checkpointer) close() error {
	if c.pool == nil {
		return nil
	}
	return c.pool.Close()
}

// Stay implements engine.Engine. As no other process has to be told of this one, it only
// keeps the write-ahead log short. Without it, or if the log's length cannot be read, a
// commit does that once the log is four times as long.
func (d *DB) Stay(ctx context.Context) error {
	copied := uint32(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.log.wrote:
		}
		if !d.log.isLong() {
			continue
		}
		pages := d.logPages()
		if pages < copied {
			copied = 0 // it has begun anew
		}
		if pages-copied < checkpointAt {
			continue
		}
		// What is written meanwhile is only a few pages. If they are copied too, the log
		// begins anew with the next write.
		for range 3 {
			whole, err := d.ReuseLog(ctx)
			if copied = pages; err != nil || whole && d.logPages() == pages {
				break
			}
			pages = d.logPages()
		}
	}
}

// isLong reports whether the file of the log has room for so many pages. A program that
// writes little never needs the connection of logPages.
func (c *checkpointer) isLong() bool {
	const page = 4096 // bytes
	file, err := os.Stat(c.path)
	return err == nil && file.Size() >= checkpointAt*page
}

// logPages returns how many pages the write-ahead log has, or 0 if that is not known.
func (d *DB) logPages() uint32 {
	const maxFrame = 16 // where the header of the wal-index has it
	v, known := d.Version()
	if !known {
		return 0
	}
	return binary.NativeEndian.Uint32(v[maxFrame:])
}

// ReuseLog copies the write-ahead log into the database file, so that the next writes
// begin at the start of the log again. It reports whether all that was written before was
// copied. Writes go on meanwhile.
func (d *DB) ReuseLog(ctx context.Context) (whole bool, err error) {
	if d.log.pool == nil {
		return false, nil
	}
	d.log.mu.Lock()
	defer d.log.mu.Unlock()
	var busy, log, copied int
	err = d.log.pool.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &log, &copied)
	return err == nil && busy == 0 && log == copied, err
}

// Scrub implements engine.Engine. The write-ahead log may still contain old pages.
func (d *DB) Scrub(ctx context.Context) error {
	d.log.mu.Lock()
	defer d.log.mu.Unlock()
	_, err := d.Writes.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
