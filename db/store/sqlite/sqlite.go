// Package sqlite opens SQLite files: their connection pools and their migrations. It
// defines no tables itself; the app and the sandbox each pass theirs as a Schema.
//
// Writes go through a pool of one connection whose transactions are immediate,
// because a deferred transaction that reads before it writes fails under
// contention, whatever the timeout. Reads go through a pool of a few read-only
// connections, which never wait for a write thanks to the write-ahead log.
package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dailies/db/store/engine"
)

const (
	writerOptions = "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_pragma=wal_autocheckpoint(4000)" // pages: see Stay
	readerOptions = "?mode=ro&_pragma=busy_timeout(5000)&_pragma=cache_size(-1024)" // 1 MB: with more, no page of a team with 100,000 videos is faster

	versionOptions    = "?mode=ro&_pragma=busy_timeout(5000)&_pragma=cache_size(-64)" // 64 kB: it only keeps the wal-index open
	checkpointOptions = "?_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-64)"

	readers = 4
)

// A DB is an open database file. Its methods may be called from many goroutines.
type DB struct {
	Writes *sql.DB // one connection
	Reads  *sql.DB // a few read-only ones; the same pool as Writes after OpenToRead
	name   string  // of this process

	version versionReader
	log     checkpointer
}

// Open opens the database file, creates it if it does not exist, and brings its
// tables up to date. It returns an error for a file that a newer program has
// written.
func Open(ctx context.Context, path string, schema Schema) (*DB, error) {
	if err := schema.make(path); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	d, err := connect(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, engine.WithRemedy(err))
	}
	if err := d.migrate(ctx, schema); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, errors.Join(engine.WithRemedy(err), d.Close()))
	}
	return d, nil
}

// OpenExisting opens a database file that another program may be using, and leaves
// its tables as they are. It returns ErrOtherVersion if the file has not had
// exactly the schema's migrations.
func OpenExisting(ctx context.Context, path string, schema Schema) (*DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	d, err := connect(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	return d.expect(ctx, path, schema)
}

// OpenToRead is like OpenExisting, but read-only.
func OpenToRead(ctx context.Context, path string, schema Schema) (*DB, error) {
	reads, err := openPool(ctx, address(path)+readerOptions)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	d := &DB{Writes: reads, Reads: reads, name: rand.Text()}
	return d.expect(ctx, path, schema)
}

func (d *DB) expect(ctx context.Context, path string, schema Schema) (*DB, error) {
	if err := d.expectVersion(ctx, schema); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, errors.Join(engine.WithRemedy(err), d.Close()))
	}
	return d, nil
}

// Copy writes a consistent copy of the database file from to the new file to,
// whatever is written to from meanwhile.
func Copy(ctx context.Context, from, to string) error {
	reads, err := openPool(ctx, address(from)+readerOptions)
	if err == nil {
		_, err = reads.ExecContext(ctx, `VACUUM INTO ?`, to)
		err = errors.Join(err, reads.Close())
	}
	if err != nil {
		return fmt.Errorf("copy of database %s: %w", from, engine.WithRemedy(err))
	}
	return nil
}

func connect(ctx context.Context, path string) (*DB, error) {
	writes, err := openPool(ctx, address(path)+writerOptions)
	if err != nil {
		return nil, err
	}
	reads, err := openPool(ctx, address(path)+readerOptions)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	versions, err := openPool(ctx, address(path)+versionOptions)
	if err != nil {
		return nil, errors.Join(err, reads.Close(), writes.Close())
	}
	checkpoints, err := openPool(ctx, address(path)+checkpointOptions)
	if err != nil {
		return nil, errors.Join(err, versions.Close(), reads.Close(), writes.Close())
	}
	writes.SetMaxOpenConns(1)
	checkpoints.SetMaxOpenConns(1)
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	return &DB{
		Writes: writes, Reads: reads, name: rand.Text(), version: versionReader{path: path, pool: versions},
		log: checkpointer{path: path + "-wal", pool: checkpoints, wrote: make(chan struct{}, 1)},
	}, nil
}

// address returns the path as a file URI for SQLite, in which three characters have
// a special meaning.
func address(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// Close closes all connections and checkpoints the write-ahead log into the file.
func (d *DB) Close() error {
	// The writer is closed last, because a read-only connection cannot checkpoint.
	return errors.Join(d.version.close(), d.log.close(), d.Reads.Close(), d.Writes.Close(), d.version.leave())
}

// Write runs do in one immediate transaction, and returns do's error unchanged.
// An error or a panic rolls the transaction back.
func (d *DB) Write(ctx context.Context, do func(*sql.Tx) error) error {
	return d.log.after(within(ctx, d.Writes, do))
}

// Read runs do on a single state of the database, whatever is written meanwhile.
func (d *DB) Read(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, d.Reads, do)
}

// WriteDurably is like Write, but what it wrote, and everything before it, survives
// a power cut, because the log is synced before it returns. That takes
// milliseconds, where Write takes a fraction of one.
func (d *DB) WriteDurably(ctx context.Context, do func(*sql.Tx) error) error {
	return d.writeWith(ctx, `PRAGMA synchronous = FULL`, `PRAGMA synchronous = NORMAL`, do)
}

// WriteRow is Write or WriteDurably, because only one transaction at a time writes.
func (d *DB) WriteRow(ctx context.Context, durably bool, _ string, _ int64, do func(*sql.Tx) error) error {
	if durably {
		return d.WriteDurably(ctx, do)
	}
	return d.Write(ctx, do)
}

// WriteErasing is like Write, but for secrets: what it deletes is overwritten in
// the file, not only marked as free.
func (d *DB) WriteErasing(ctx context.Context, do func(*sql.Tx) error) error {
	return d.writeWith(ctx, `PRAGMA secure_delete = ON`, `PRAGMA secure_delete = OFF`, do)
}

func (d *DB) writeWith(ctx context.Context, set, unset string, do func(*sql.Tx) error) error {
	conn, err := d.Writes.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, set); err != nil {
		return err
	}
	// The next user of the connection expects the usual setting.
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), unset) }()
	return d.log.after(within(ctx, conn, do))
}

// A beginner is a pool or a single connection of it.
type beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

func within(ctx context.Context, pool beginner, do func(*sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Process implements engine.Engine.
func (d *DB) Process() string { return d.name }

// Now implements engine.Engine. The only clock is this machine's.
func (d *DB) Now() time.Time { return time.Now() }

// Enter implements engine.Engine. The data folder is already locked for one
// process.
func (d *DB) Enter(context.Context, bool, engine.Home) error { return nil }

// Others implements engine.Engine. There are none.
func (d *DB) Others(context.Context, *sql.Tx) ([]engine.Process, error) { return nil, nil }

// IsShared implements engine.Engine.
func (d *DB) IsShared() bool { return false }
