// Package postgres keeps the store's tables on a server that speaks the Postgres
// protocol: its connection pools, migrations, text search, the meaning of its
// errors, and whatever else differs from SQLite.
//
// As with SQLite, only one transaction at a time writes, in whichever process: each
// holds the same advisory lock until it ends. So the store never has to repeat a
// statement, and row IDs become visible in their order. Changes of a single task's
// state, which are most of the writes, share that lock and lock their task's row
// instead.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"dailies/db/store/engine"
)

const (
	writers = 8 // connections that take turns to write
	readers = 8

	// patience limits the wait for a connection, and for a lock.
	patience = 10 * time.Second
)

// A DB is an open database. Its methods may be called from many goroutines.
type DB struct {
	Writes *sql.DB
	Reads  *sql.DB
	name   string // of this process, in the table processes
	joined bool   // this process is in that table, or may be
	alone  bool   // this process accepts no other one beside it
	home   engine.Home
	pulse  atomic.Pointer[pulse]
	clock  atomic.Pointer[clockReading]

	listenConfig *pgx.ConnConfig // of the connection that listens; nil if there can be none
	direct       string          // the direct address as it may be shown; empty if none is given
	pooled       bool            // connections lead through a transaction pooler
}

// Open connects to the database with the address, postgres://…, and brings its
// tables up to date. The address may name several hosts, of which the writable one
// is used. After white space a second, direct address may follow, which must
// receive notifications; see Addresses. Errors contain no password.
func Open(ctx context.Context, address string) (*DB, error) {
	d, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	err = d.checkListener(ctx)
	if err == nil {
		err = d.advised(ctx, d.migrate(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(err, d.Close()))
	}
	return d, nil
}

// OpenExisting is like Open, but leaves the tables as they are. It returns
// ErrOtherVersion unless they are exactly those of this program.
func OpenExisting(ctx context.Context, address string) (*DB, error) {
	d, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := d.advised(ctx, d.expectVersion(ctx)); err != nil {
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
	if err := d.setListener(*config, direct); err != nil {
		return nil, fmt.Errorf("database %s: %w", Name(address), errors.Join(err, d.Close()))
	}
	return d, nil
}

// parse parses one address.
func parse(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > patience {
		config.ConnectTimeout = patience
	}
	if _, given := config.RuntimeParams["application_name"]; !given {
		config.RuntimeParams["application_name"] = "dailies"
	}
	if !strings.Contains(address, "target_session_attrs=") {
		config.ValidateConnect = writable // after a failover the old primary may still answer
	}
	return config, nil
}

// newPools returns a database whose transactions begin with the setLocal
// statements.
func newPools(ctx context.Context, config pgx.ConnConfig, setLocal string) *DB {
	return &DB{Writes: openPool(ctx, config, writers, setLocal), Reads: openPool(ctx, config, readers, setLocal), name: rand.Text()}
}

func openPool(ctx context.Context, config pgx.ConnConfig, most int, setLocal string) *sql.DB {
	pool := sql.OpenDB(engine.WrapperIn(ctx)(connector{stdlib.GetConnector(config), setLocal, engine.ObserverIn(ctx)}))
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool
}

// Close removes this process from the table processes, and closes all connections.
func (d *DB) Close() error {
	var left error
	if d.joined {
		left, d.joined = d.leave(), false
	}
	return errors.Join(left, d.Reads.Close(), d.Writes.Close())
}

// writeLock is the advisory lock that a transaction holds while it writes, and
// migrationLock the one for migrations. Both are arbitrary numbers.
const (
	writeLock     = 0x6461696c6965
	migrationLock = 0x6461696c6966
)

// Write implements engine.Engine.
func (d *DB) Write(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(writeLock)); err != nil {
			return err
		}
		return do(tx)
	})
}

// ReuseLog implements engine.Engine. It does nothing, because the server manages its log.
func (d *DB) ReuseLog(context.Context) (bool, error) { return true, nil }

// deadlock is the SQLSTATE code of a transaction that the server aborted in a
// deadlock.
const deadlock = "40P01"

// tries limits the attempts to change a row after deadlocks: two changes may update
// the totals of two states in opposite orders.
const tries = 5

// WriteRow implements engine.Engine. It excludes Write, and other changes of the
// same row.
func (d *DB) WriteRow(ctx context.Context, _ bool, table string, id int64, do func(*sql.Tx) error) (err error) {
	for range tries {
		err = within(ctx, d.Writes, nil, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, int64(writeLock)); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `SELECT id FROM `+table+` WHERE id = $1 FOR UPDATE`, id); err != nil {
				return err
			}
			return do(tx)
		})
		if engine.SQLState(err) != deadlock {
			break
		}
	}
	return err
}

// WriteDurably implements engine.Engine. With the server's default settings every
// commit survives a power cut.
func (d *DB) WriteDurably(ctx context.Context, do func(*sql.Tx) error) error { return d.Write(ctx, do) }

// WriteErasing implements engine.Engine. The server decides when the space of a
// deleted row is overwritten.
func (d *DB) WriteErasing(ctx context.Context, do func(*sql.Tx) error) error { return d.Write(ctx, do) }

// Scrub implements engine.Engine.
func (d *DB) Scrub(context.Context) error { return nil }

// Damage implements engine.Engine. The server checks its own files.
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

// longestAddresses limits the text with the addresses, in bytes.
const longestAddresses = 8 << 10

// between matches the beginning of a second address, and the white space before it.
var between = regexp.MustCompile(`\s+(postgres(?:ql)?://)`)

// Addresses splits the setting for the database: its address, postgres://…, and
// after white space an optional second, direct address of the same database. The
// second is for LISTEN, if the first leads through a transaction pooler. Errors
// never repeat the text, which may contain a password.
func Addresses(text string) (database, direct string, err error) {
	if len(text) > longestAddresses {
		return "", "", fmt.Errorf("more than %d bytes are no address", longestAddresses)
	}
	each := splitAddresses(text)
	if len(each) > 2 {
		return "", "", errors.New("it takes one address, or two of the same database")
	}
	for i, address := range each {
		u, err := url.Parse(address)
		scheme, _, _ := strings.Cut(address, "://")
		if err != nil || scheme != "postgres" && scheme != "postgresql" || strings.Trim(u.Path, "/") == "" {
			return "", "", fmt.Errorf("%s an address such as postgres://dailies@db.example.com/dailies",
				[]string{"it takes", "its second address is not"}[i])
		}
	}
	if len(each) == 2 {
		direct = each[1]
	}
	return each[0], direct, nil
}

// splitAddresses returns the addresses in the text, at least one.
func splitAddresses(text string) []string {
	text = strings.TrimSpace(text)
	return strings.Split(between.ReplaceAllString(text, "\n\n$1"), "\n\n")
}

// Name returns the address of the database as it may be shown: without its
// password, and without a second address.
func Name(address string) string {
	u, err := url.Parse(splitAddresses(address)[0])
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Host == "" && u.Path == "" || strings.Contains(u.Host+u.Path, "@") {
		return "given by -database"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// lastPlace is the largest position of a word that the server stores.
const lastPlace = 16383

// Words implements engine.Engine. It returns the words with their positions in the
// text format of a tsvector. They are split here, because the server's own parser
// takes a run of Chinese characters for one word.
func (d *DB) Words(searched, _ string) sql.NullString {
	var b strings.Builder
	for i, word := range engine.Split(searched) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "'%s':%d", word, min(i+1, lastPlace))
	}
	return sql.NullString{String: b.String(), Valid: true}
}

// Match implements engine.Engine. Words consist of letters, digits and marks, which
// have no special meaning between quotes in a tsquery.
func (d *DB) Match(terms []string) string {
	var all []string
	for _, term := range terms {
		if words := engine.Split(term); len(words) > 0 {
			all = append(all, "('"+strings.Join(words, "' <-> '")+"':*)")
		}
	}
	return strings.Join(all, " & ")
}

// Index implements engine.Engine. The table tasks has all columns of the gallery,
// so the rows that are found need not be looked up in the table gallery.
func (d *DB) Index() engine.Index {
	return engine.Index{
		From: "tasks g", ID: "g.id", Wide: true,
		Where:     "g.deleted_at IS NULL AND g.lexemes @@ CAST(%s AS tsquery)",
		ScanWhere: "g.deleted_at IS NULL AND (g.lexemes @@ CAST(%s AS tsquery)) IS TRUE", // a form that the index of words cannot answer
		Check:     "EXISTS (SELECT 1 FROM tasks f WHERE f.lexemes @@ CAST(%[1]s AS tsquery) AND f.id = %[2]s)",
	}
}

// PlanEach implements engine.Engine. Otherwise the server soon uses a generic plan
// that takes every word for a rare one. With the default work_mem, the rows of a
// frequent word do not fit into memory, so that it would recheck others, too.
func (d *DB) PlanEach(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'`)
	return err
}
