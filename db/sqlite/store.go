// Package sqlite keeps the nouns of package db in one SQLite file. All SQL of
// the program stands here.
//
// Writes go through a pool of one connection whose transactions are immediate,
// because a deferred one that first reads and then writes fails under
// contention, whatever the timeout. Reads go through a pool of a few read-only
// connections, which the write-ahead log keeps from ever waiting for a write.
//
// Errors say what was asked, once ("task 7: not found"), around db.ErrNotFound
// or db.ErrConflict where one of these is meant.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"dailies/db/folder"
)

const (
	writerOptions = "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)"
	readerOptions = "?mode=ro&_pragma=busy_timeout(5000)"

	readers = 4
)

// A Store is an open database. Its methods may be called from many goroutines.
type Store struct {
	writes *sql.DB
	reads  *sql.DB
	census census
	turn   *semaphore.Weighted // whose the census is; a mutex that a request can stop waiting for
}

// Open opens the database file, makes it if there is none, and brings its
// tables up to date. A file that a newer Dailies has written is an error.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, withRemedy(err))
	}
	return s, nil
}

// OpenBeside opens a database file that is there, whether or not a program works
// on it, and leaves its tables as they are. One of another version of Dailies is
// ErrOtherVersion.
func OpenBeside(ctx context.Context, path string) (*Store, error) {
	_, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	s, err := connect(path)
	if err == nil {
		if err = s.expectVersion(ctx); err != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string) (*Store, error) {
	// The file holds password hashes: made here, it is nobody else's to read,
	// and SQLite gives the files it puts beside it the same mode.
	if err := folder.Touch(path); err != nil {
		return nil, err
	}
	s, err := connect(path)
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.normEmails(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect makes the pools.
func connect(path string) (*Store, error) {
	writes, err := openPool(address(path) + writerOptions)
	if err != nil {
		return nil, err
	}
	reads, err := openPool(address(path) + readerOptions)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	writes.SetMaxOpenConns(1)
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	return &Store{writes: writes, reads: reads, turn: semaphore.NewWeighted(1)}, nil
}

// address is the path as SQLite's file URI, in which three characters mean
// something else.
func address(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// Close ends all connections and folds the write-ahead log into the file.
func (s *Store) Close() error {
	// The writer goes last: a read-only connection cannot fold the log.
	return errors.Join(s.reads.Close(), s.writes.Close())
}

// Writable returns an error unless the database takes what is written to it.
func (s *Store) Writable(ctx context.Context, now time.Time) error {
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ('written at', ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, now.Format(time.RFC3339Nano))
	return about("database", err)
}

// write runs do in one immediate transaction. What do returns is returned as it
// is; an error or a panic takes everything back.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, s.writes, do)
}

// read runs do on one state of the database, whatever is written meanwhile.
func (s *Store) read(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, s.reads, do)
}

// writeForGood is write, and what it has written survives a power cut too: the
// log is synced before it returns, with everything written before. It takes
// milliseconds where write takes a fraction of one.
func (s *Store) writeForGood(ctx context.Context, do func(*sql.Tx) error) error {
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA synchronous = FULL`); err != nil {
		return err
	}
	// Back to what the address says, for whoever gets the connection next.
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = NORMAL`) }()
	return within(ctx, conn, do)
}

// writeOver is write, and what it deletes is overwritten in the file, not only
// marked as free.
func (s *Store) writeOver(ctx context.Context, do func(*sql.Tx) error) error {
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA secure_delete = OFF`) }()
	return within(ctx, conn, do)
}

// beginner is a pool, or one connection of it.
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
