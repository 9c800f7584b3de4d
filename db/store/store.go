// Package store keeps the types of package db, and of the packages of other nouns beside
// it, in a database. The small stores of package people keep accounts and what belongs to
// them, those of package video the videos. This package has the operations that concern
// both groups, and those that open, move and seal the whole database. Nearly all SQL of
// the app is in these three packages and in teamdb; what differs between the engines is in
// the packages sqlite and postgres.
//
// Errors say once what was requested ("task 7: not found"). They wrap db.ErrNotFound or
// db.ErrConflict where the documentation of a method names these.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/people"
	"dailies/db/store/postgres"
	"dailies/db/store/schema"
	"dailies/db/store/sqlite"
	"dailies/db/store/teamdb"
	"dailies/db/store/video"
)

// A Store is an open database. Its small stores are the fields of People and Videos: a
// task is read with s.Tasks.Task, a session with s.Sessions.Session. All methods may be
// called from many goroutines.
type Store struct {
	people.People
	video.Videos
	db *teamdb.DB
}

// on returns the store on an open database.
func on(d *engine.DB) *Store {
	shared := teamdb.New(d)
	videos := video.On(shared)
	return &Store{people.On(shared, videos.Tasks), videos, shared}
}

func onSQLite(d *sqlite.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return on(&engine.DB{Engine: d, Writes: d.Writes, Reads: d.Reads}), nil
}

func onPostgres(d *postgres.DB, err error) (*Store, error) {
	if errors.Is(err, postgres.ErrOtherVersion) {
		err = fmt.Errorf("%w: %w", ErrOtherVersion, err)
	}
	if err != nil {
		return nil, err
	}
	return on(&engine.DB{Engine: d, Writes: d.Writes, Reads: d.Reads}), nil
}

// IsFull reports whether a write failed because the disk is full.
func IsFull(err error) bool { return engine.IsFull(err) }

// IsBusy reports whether the database took no write at the moment, so that it may be tried
// again.
func IsBusy(err error) bool { return engine.IsBusy(err) }

// tablesOnSQLite returns the app's tables in SQLite.
func tablesOnSQLite() sqlite.Schema {
	return sqlite.Schema{Files: sqlite.Migrations, Empty: sqlite.Empty, After: map[string]func(context.Context, *sql.Tx) error{
		"002_order.sql":    step(video.FillWords), // before 003_search.sql rebuilds the search index
		"005_links.sql":    step(video.HashShares),
		"006_pictures.sql": step(video.HashPictures),
	}}
}

// step returns do as a part of a migration.
func step(do func(*engine.Tx)) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, raw *sql.Tx) error { return engine.InTx(ctx, do)(raw) }
}

// ErrOtherVersion means that the tables were made by another version of Dailies.
var ErrOtherVersion = sqlite.ErrOtherVersion

// Versions says which other version; errors.As finds it in an ErrOtherVersion.
type Versions = engine.Versions

// Open opens the database: path is the path of an SQLite file, which is created if it
// does not exist, or the address of a server (see IsAddress). It migrates the tables to
// this version, and returns an error if a newer version has written the database.
func Open(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return onPostgres(postgres.Open(ctx, path))
	}
	s, err := onSQLite(sqlite.Open(ctx, path, tablesOnSQLite()))
	if err != nil {
		return nil, err
	}
	if err := s.Accounts.NormEmails(ctx); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// OpenExisting opens a database that another process may be working on, without
// migrating its tables. It returns ErrOtherVersion if they are of another version.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return onPostgres(postgres.OpenExisting(ctx, path))
	}
	return onSQLite(sqlite.OpenExisting(ctx, path, tablesOnSQLite()))
}

// OpenToRead is like OpenExisting, but does not allow any change to a file.
func OpenToRead(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return OpenExisting(ctx, path)
	}
	return onSQLite(sqlite.OpenToRead(ctx, path, tablesOnSQLite()))
}

// IsAddress reports whether the name of a database is the address of a server, rather
// than the path of a file.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Process returns the name under which this process holds leases.
func (s *Store) Process() string { return s.db.Process() }

// Now returns the time by the clock that all processes on the database share: the
// server's clock, or this machine's for a file. Leases and due times refer to it.
func (s *Store) Now() time.Time { return s.db.Now().UTC().Truncate(time.Millisecond) }

// Enter registers this process as working on the database, beside others or
// exclusively. It has to be called before anything that earlier processes left
// unfinished is taken up. It waits for conflicting processes that have just ended.
func (s *Store) Enter(ctx context.Context, alone bool) error { return s.EnterFrom(ctx, alone, Home{}) }

// EnterFrom is like Enter, for a process that has locked the data folder home. An
// earlier process in that folder counts as gone: this one need not wait for it, and
// Recover settles its create calls.
func (s *Store) EnterFrom(ctx context.Context, alone bool, home Home) error {
	return s.db.Enter(ctx, alone, home)
}

// A Home identifies a data folder: see engine.Home.
type Home = engine.Home

// Stay keeps this process registered until ctx ends. It returns an error if the process
// has lost its place: see engine.Engine.Stay.
func (s *Store) Stay(ctx context.Context) error { return s.db.Stay(ctx) }

// EngineVersion returns the name and the version of the database program.
func (s *Store) EngineVersion(ctx context.Context) (string, error) {
	query := `SELECT 'SQLite ' || sqlite_version()`
	if s.IsShared() {
		query = `SELECT 'Postgres ' || current_setting('server_version')`
	}
	return engine.ReadValue[string](ctx, s.db.Reads, "version of the engine", query)
}

// IsShared reports whether another process may work on the database.
func (s *Store) IsShared() bool { return s.db.IsShared() }

// A Listener is told what other processes have done in the database. Its functions are
// called one after another.
type Listener struct {
	Queued   func()                              // there may be new tasks to send
	Answered func(ctx context.Context, id int64) // the task's create call has an outcome
	Deaf     func(error)                         // no messages arrive until the next call of Queued; the error says why
}

// ErrNoListener means that the database's address leads through a transaction pooler, so that
// this process does not receive messages of others.
var ErrNoListener = engine.ErrNoListener

// Listen informs the listener of what other processes do, until ctx ends. The calls are
// only hints: a missed one can always be found out from the database.
func (s *Store) Listen(ctx context.Context, to Listener) error {
	return s.db.Listen(ctx, func(what string) {
		if id := answeredTask(what); id > 0 {
			to.Answered(ctx, id)
		} else if what == video.Queued || what == "" {
			to.Queued()
		}
	}, to.Deaf)
}

// answeredTask returns the ID of the task that the message says was answered, or 0 if
// it says something else. Messages are not trusted: anybody with access to the database
// may send any text.
func answeredTask(what string) int64 {
	id, found := strings.CutPrefix(what, video.Answered)
	n, err := strconv.ParseInt(id, 10, 64)
	if !found || err != nil || n < 1 {
		return 0
	}
	return n
}

// AddressName returns the address of a server as it may be shown, without its password.
func AddressName(address string) string { return postgres.Name(address) }

// Copy writes a snapshot of the database at from to a new database file, even while
// others write to the original.
func Copy(ctx context.Context, from, to string) error {
	if !IsAddress(from) {
		return sqlite.Copy(ctx, from, to)
	}
	source, err := OpenToRead(ctx, from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := Open(ctx, to)
	if err != nil {
		return err
	}
	_, err = Transfer(ctx, source, target)
	return errors.Join(err, target.Close())
}

// OnFull sets the function that frees some reserved space on the disk of the database,
// and reports whether there was any. It is called when the disk is too full for somebody
// to sign in or out. It must be set before the store is used.
func (s *Store) OnFull(freeSpace func() bool) { s.db.FreeSpace = freeSpace }

// Checkpoint copies what is only in the write-ahead log into the database's own file, and
// reports whether that is all that was written before.
func (s *Store) Checkpoint(ctx context.Context) (whole bool, err error) {
	whole, err = s.db.ReuseLog(ctx)
	return whole, engine.About("write-ahead log", err)
}

// Close ends all connections.
func (s *Store) Close() error { return s.db.Close() }

// Writable returns an error unless the database can be written to.
func (s *Store) Writable(ctx context.Context, now time.Time) error {
	_, err := s.db.Writes.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ('written at', $1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, now.Format(time.RFC3339Nano))
	return engine.About("database", err)
}

// Versions returns the version of the thing with the name, if that is not empty, and
// those that concern everybody: of the queue, of usual times and of prices. Whoever
// reads them before anything else has seen at least everything that they stand for.
func (s *Store) Versions(ctx context.Context, name string) (schedule.Versions, error) {
	versions, look := schedule.Versions{}, s.db.Reading(ctx)
	look.Each(func(rows *sql.Rows) error {
		var of string
		var stamp int64
		err := rows.Scan(&of, &stamp)
		versions[of] += stamp
		return err
	}, `
		SELECT name, stamp FROM versions WHERE name IN ($1, 'queue', 'usual')
		UNION ALL
		SELECT name, stamp FROM versions WHERE name >= 'price ' AND name < 'price!'`, name)
	return versions, engine.About("versions", look.Err())
}

// Work counts the work of all processes at the time now. It reads few rows, from
// indexes, and counts the queue up to schedule.MostWork.
func (s *Store) Work(ctx context.Context, now time.Time) (w schedule.Work, err error) {
	w.Leases = map[string]schedule.Leases{}
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		var due engine.Instant
		tx.Row(`
			SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE state = 'queued' LIMIT $2 + 0) waiting), (
				SELECT next_at FROM tasks
				WHERE state IN ('pending', 'processing') AND next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
				ORDER BY next_at LIMIT 1)`, engine.Instant(now), schedule.MostWork).Scan(&w.Queued, &due)
		if at := time.Time(due); tx.OK() && !at.IsZero() {
			w.OldestDue = now.Sub(at)
		}
		var mail engine.Instant
		tx.Row(`
			SELECT count(*), min(CASE WHEN next_at <= $1 THEN next_at END) FROM mails WHERE next_at IS NOT NULL`,
			engine.Instant(now)).Scan(&w.Mails, &mail)
		if at := time.Time(mail); tx.OK() && !at.IsZero() {
			w.DueMail = now.Sub(at)
		}
		if millis, err := strconv.ParseInt(teamdb.Setting(tx, teamdb.BackupSetting), 10, 64); err == nil {
			w.Backup = time.UnixMilli(millis).UTC()
		}
		for kind, table := range map[string]string{"task": "tasks", "notice": "deliveries", "mail": "mails", "job": "jobs"} {
			var l schedule.Leases
			tx.Row(`
				SELECT coalesce(sum(CASE WHEN leased_until > $1 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN leased_until > $1 THEN 0 ELSE 1 END), 0)
				FROM `+table+` WHERE leased_until IS NOT NULL`, engine.Instant(now)).Scan(&l.Held, &l.Overdue)
			w.Leases[kind] = l
		}
		countTotals(tx, &w)
		w.Processes = 1 + len(s.db.Others(tx))
	})
	return w, engine.About("work of the processes", err)
}

// countTotals adds what the totals say, and the unconfirmed tasks, which have an index
// of their own: neither takes longer when there are many tasks.
func countTotals(tx *engine.Tx, w *schedule.Work) {
	var paid engine.Amount
	tx.Row(`
		SELECT (SELECT count(*) FROM tasks WHERE state = 'unconfirmed' AND decided_at IS NULL),
			(SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM kept_bytes),
			CAST(coalesce(sum(CASE WHEN `+schema.Paid+` THEN paid ELSE 0 END), 0) AS BIGINT),
			CAST(coalesce(sum(CASE WHEN outcome IN ('failed', 'canceled', 'rejected') THEN tasks ELSE 0 END), 0) AS BIGINT)
		FROM usage_months`).Scan(&w.Unconfirmed, &w.KeptBytes, &paid, &w.Failed)
	w.Paid = float64(paid)
}

// Processes counts the processes that work on the database now: this one, and others
// that have not missed their heartbeats.
func (s *Store) Processes(ctx context.Context) (int, error) {
	return engine.Read(ctx, s.db, "processes", func(tx *engine.Tx) int {
		n := 1
		for _, p := range s.db.Others(tx) {
			if p.GoneAt.IsZero() {
				n++
			}
		}
		return n
	})
}

// Pools returns the state of this process's connections to the database.
func (s *Store) Pools() (reads, writes sql.DBStats) { return s.db.Reads.Stats(), s.db.Writes.Stats() }
