// Package postgres keeps the store's tables on a server that speaks Postgres's
// protocol: its pools of connections, migrations and text search, what its errors
// mean, and whatever else differs from SQLite.
//
// One transaction at a time writes, whichever process begins it, as with SQLite:
// each takes the same lock and gives it back when it ends. So no statement of the
// store has to be repeated, and none sees rows that an earlier number skipped. The
// steps of tasks, which are most of all writes, share the lock and hold their own
// task's row.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	writers = 8 // that wait for each other's transactions
	readers = 8

	// patience bounds how long a connection is waited for, and a lock.
	patience = 10 * time.Second
)

// A DB is an open database. Its methods may be called from many goroutines.
type DB struct {
	Writes *sql.DB
	Reads  *sql.DB
	name   string // of this process, among those of the table processes
	joined bool   // it is one of these, or may be
	alone  bool   // and bears no other beside it
	clock  atomic.Pointer[reading]

	ear    *pgx.ConnConfig // of the connection that listens; nil if none can
	direct string          // the name of the address that was given for it
	pooled bool            // connections lead through a transaction pooler
}

// Open connects to the database with the address, postgres://…, and brings its
// tables up to date. The address may name several hosts, of which the one that
// takes writes is used. Behind it may stand a second, direct one, at which
// what is notified has to be heard; see Addresses. Errors have no password in them.
func Open(ctx context.Context, address string) (*DB, error) {
	d, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	err = d.tryEar(ctx)
	if err == nil {
		err = d.migrate(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(err, d.Close()))
	}
	return d, nil
}

// OpenExisting is Open for a database whose tables are left as they are. It
// returns ErrOtherVersion unless they are exactly those of this program.
func OpenExisting(ctx context.Context, address string) (*DB, error) {
	d, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := d.expectVersion(ctx); err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(err, d.Close()))
	}
	return d, nil
}

func connect(ctx context.Context, text string) (*DB, error) {
	address, direct, err := Addresses(text)
	if err != nil {
		return nil, fmt.Errorf("database %s: the address cannot be used; %w", Name(text), err)
	}
	config, err := parse(address)
	if err != nil {
		// The error repeats the address, which may hold a password.
		return nil, fmt.Errorf("database %s: the address cannot be used; it is like postgres://user@host:5432/dailies", Name(address))
	}
	d, err := openPools(ctx, *config, address)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), plain(err))
	}
	if err := d.readClock(ctx); err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(plain(err), d.Close()))
	}
	if err := d.setEar(*config, direct); err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(err, d.Close()))
	}
	return d, nil
}

// parse reads one address.
func parse(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = min(patience, max(config.ConnectTimeout, patience))
	if _, given := config.RuntimeParams["application_name"]; !given {
		config.RuntimeParams["application_name"] = "dailies"
	}
	if !strings.Contains(address, "target_session_attrs=") {
		config.ValidateConnect = writable // after a failover the old primary may still answer
	}
	return config, nil
}

// newPools returns a database whose transactions begin with the statements.
func newPools(config pgx.ConnConfig, setLocal string) *DB {
	return &DB{Writes: openPool(config, writers, setLocal), Reads: openPool(config, readers, setLocal), name: rand.Text()}
}

func openPool(config pgx.ConnConfig, most int, setLocal string) *sql.DB {
	pool := sql.OpenDB(connector{stdlib.GetConnector(config), setLocal})
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool
}

// Close ends all connections, and the time of this process on the database.
func (d *DB) Close() error {
	var left error
	if d.joined {
		left, d.joined = d.leave(), false
	}
	return errors.Join(left, d.Reads.Close(), d.Writes.Close())
}

// turn is the lock that a transaction holds while it writes, and migration the one
// of the tables' own changes. Both are numbers that mean nothing to others.
const (
	turn      = 0x6461696c6965
	migration = 0x6461696c6966
)

// Write implements engine.Engine.
func (d *DB) Write(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(turn)); err != nil {
			return err
		}
		return do(tx)
	})
}

// deadlock is the code of two that wait for each other, of whom the server has ended one.
const deadlock = "40P01"

// tries bounds how often a change of a row is tried that stood in another's way: two
// may change the totals of two outcomes in either order.
const tries = 5

// WriteRow implements engine.Engine: it holds off Write, and those who change the
// same row.
func (d *DB) WriteRow(ctx context.Context, _ bool, table string, id int64, do func(*sql.Tx) error) (err error) {
	for range tries {
		err = within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, int64(turn)); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `SELECT id FROM `+table+` WHERE id = $1 FOR UPDATE`, id); err != nil {
				return err
			}
			return do(tx)
		})
		if code(err) != deadlock {
			break
		}
	}
	return err
}

// WriteDurably implements engine.Engine: with the server's own settings every
// commit survives a power cut.
func (d *DB) WriteDurably(ctx context.Context, do func(*sql.Tx) error) error { return d.Write(ctx, do) }

// WriteErasing implements engine.Engine. When the space of a deleted row is used
// again is up to the server.
func (d *DB) WriteErasing(ctx context.Context, do func(*sql.Tx) error) error { return d.Write(ctx, do) }

// Scrub implements engine.Engine.
func (d *DB) Scrub(context.Context) error { return nil }

// Damage implements engine.Engine: the server sees to its own files.
func (d *DB) Damage(context.Context) ([]string, error) { return nil, nil }

// Read implements engine.Engine.
func (d *DB) Read(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, d.Reads, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, do)
}

func within(ctx context.Context, pool *sql.DB, options *sql.TxOptions, do func(*sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
