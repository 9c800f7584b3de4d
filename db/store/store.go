// Package store keeps the types of packages db and team in a database. The methods for
// a type are in the files that begin with its name. Nearly all SQL of the app is here;
// what differs between the engines is in the packages sqlite and postgres.
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
	"sync"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/postgres"
	"dailies/db/store/sqlite"
	"dailies/db/team"
)

// A Store is an open database. Its methods may be called from many goroutines.
type Store struct {
	engine engine.Engine
	writes *sql.DB
	reads  *sql.DB
	zones  sync.Map // *time.Location by name

	sessions recents[db.TokenHash, signedIn]
	files    recents[int64, mediaOfTask]
	shared   recents[sharedFile, mediaOfShare]

	// freeRoom frees some of the disk space that is reserved for writes that must not
	// fail; see OnFull. It may be nil.
	freeRoom func() bool
}

// schema returns the app's tables in SQLite.
func schema() sqlite.Schema {
	return sqlite.Schema{Files: sqlite.Migrations, Whole: sqlite.Whole, After: map[string]func(context.Context, *sql.Tx) error{
		"002_order.sql":    fillWords, // before 003_search.sql rebuilds the search index
		"005_links.sql":    hashShares,
		"006_pictures.sql": hashPictures,
	}}
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
	s, err := onSQLite(sqlite.Open(ctx, path, schema()))
	if err != nil {
		return nil, err
	}
	if err := s.normEmails(ctx); err != nil {
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
	return onSQLite(sqlite.OpenExisting(ctx, path, schema()))
}

// OpenToRead is like OpenExisting, but does not allow any change to a file.
func OpenToRead(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return OpenExisting(ctx, path)
	}
	return onSQLite(sqlite.OpenToRead(ctx, path, schema()))
}

func onSQLite(engine *sqlite.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return &Store{engine: engine, writes: engine.Writes, reads: engine.Reads}, nil
}

func onPostgres(engine *postgres.DB, err error) (*Store, error) {
	if errors.Is(err, postgres.ErrOtherVersion) {
		err = fmt.Errorf("%w: %w", ErrOtherVersion, err)
	}
	if err != nil {
		return nil, err
	}
	return &Store{engine: engine, writes: engine.Writes, reads: engine.Reads}, nil
}

// IsAddress reports whether the name of a database is the address of a server, rather
// than the path of a file.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Process returns the name under which this process holds leases.
func (s *Store) Process() string { return s.engine.Process() }

// Now returns the time by the clock that all processes on the database share: the
// server's clock, or this machine's for a file. Leases and due times refer to it.
func (s *Store) Now() time.Time { return s.engine.Now().UTC().Truncate(time.Millisecond) }

// Enter registers this process as working on the database, beside others or
// exclusively. It has to be called before anything that earlier processes left
// unfinished is taken up. It waits for conflicting processes that have just ended.
func (s *Store) Enter(ctx context.Context, alone bool) error { return s.EnterFrom(ctx, alone, Home{}) }

// EnterFrom is like Enter, for a process that has locked the data folder home. An
// earlier process in that folder counts as gone: this one need not wait for it, and
// Recover settles its create calls.
func (s *Store) EnterFrom(ctx context.Context, alone bool, home Home) error {
	return s.engine.Enter(ctx, alone, home)
}

// A Home identifies a data folder: see engine.Home.
type Home = engine.Home

// Stay keeps this process registered until ctx ends. It returns an error if the process
// has lost its place: see engine.Engine.Stay.
func (s *Store) Stay(ctx context.Context) error { return s.engine.Stay(ctx) }

// EngineVersion returns the name and the version of the database program.
func (s *Store) EngineVersion(ctx context.Context) (version string, err error) {
	query := `SELECT 'SQLite ' || sqlite_version()`
	if s.IsShared() {
		query = `SELECT 'Postgres ' || current_setting('server_version')`
	}
	err = s.reads.QueryRowContext(ctx, query).Scan(&version)
	return version, about("version of the engine", err)
}

// IsShared reports whether another process may work on the database.
func (s *Store) IsShared() bool { return s.engine.IsShared() }

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
	return s.engine.Listen(ctx, func(what string) {
		if id := answeredTask(what); id > 0 {
			to.Answered(ctx, id)
		} else if what == queued || what == "" {
			to.Queued()
		}
	}, to.Deaf)
}

// answeredTask returns the ID of the task that the message says was answered, or 0 if
// it says something else. Messages are not trusted: anybody with access to the database
// may send any text.
func answeredTask(what string) int64 {
	id, found := strings.CutPrefix(what, answered)
	n, err := strconv.ParseInt(id, 10, 64)
	if !found || err != nil || n < 1 {
		return 0
	}
	return n
}

// The messages that processes send each other.
const (
	queued   = "queued"
	answered = "answered " // followed by the task's ID
)

// tellAnswered notifies other processes, in which a user may be waiting for it, if the
// change from before to after is the outcome of the task's create call.
func (s *Store) tellAnswered(ctx context.Context, tx *sql.Tx, before, after db.Task) error {
	if !before.State.Unanswered(before.Attempts) || after.State.Unanswered(after.Attempts) {
		return nil
	}
	return s.engine.Notify(ctx, tx, answered+strconv.FormatInt(after.ID, 10))
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

// IsFull reports whether a write failed because the disk is full.
func IsFull(err error) bool { return sqlite.IsFull(err) || postgres.IsFull(err) }

// OnFull sets the function that frees some reserved space on the disk of the database,
// and reports whether there was any. It is called when the disk is too full for somebody
// to sign in or out. It must be set before the store is used.
func (s *Store) OnFull(freeRoom func() bool) { s.freeRoom = freeRoom }

// Checkpoint copies what is only in the write-ahead log into the database's own file, and
// reports whether that is all that was written before.
func (s *Store) Checkpoint(ctx context.Context) (whole bool, err error) {
	whole, err = s.engine.ReuseLog(ctx)
	return whole, about("write-ahead log", err)
}

// Close ends all connections.
func (s *Store) Close() error { return s.engine.Close() }

// Writable returns an error unless the database can be written to.
func (s *Store) Writable(ctx context.Context, now time.Time) error {
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ('written at', $1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, now.Format(time.RFC3339Nano))
	return about("database", err)
}

// write runs do in one transaction, and returns do's error unchanged. An error
// or a panic rolls the transaction back.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	return s.engine.Write(ctx, do)
}

// writeAccess is like write, for what signing in and out needs. On a full disk it uses
// the reserved space; do may then be called more than once.
func (s *Store) writeAccess(ctx context.Context, do func(*sql.Tx) error) error {
	return s.evenIfFull(ctx, func() error { return s.write(ctx, do) })
}

// evenIfFull calls write. As long as that fails because the disk is full, it makes room
// and calls it again: first in the engine's log, then from the reserved space.
func (s *Store) evenIfFull(ctx context.Context, write func() error) error {
	err := write()
	for reused := false; IsFull(err); reused = true {
		if reused && (s.freeRoom == nil || !s.freeRoom()) {
			break
		}
		// A failure needs no other answer than that of write.
		_, _ = s.engine.ReuseLog(ctx)
		err = write()
	}
	return err
}

// writeAsAdmin is like write, for changes that only admins may make. It returns
// db.ErrNotFound if the actor in the context is no longer an admin, which may have
// changed while the request waited to write. Changes without a signed-in actor, such as
// those of a command, are always allowed.
func (s *Store) writeAsAdmin(ctx context.Context, do func(*sql.Tx) error) error {
	return s.write(ctx, asActor(ctx, db.User.IsAdmin, do))
}

// writeAsMaker is like writeAsAdmin, for changes that viewers may not make.
func (s *Store) writeAsMaker(ctx context.Context, do func(*sql.Tx) error) error {
	return s.write(ctx, asActor(ctx, db.User.Makes, do))
}

// asActor returns do, preceded by the check that the actor in the context, if there is
// one, still meets the condition.
func asActor(ctx context.Context, is func(db.User) bool, do func(*sql.Tx) error) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		if id := team.ActorIn(ctx).UserID; id != 0 {
			if err := stillAllowed(ctx, tx, id, is); err != nil {
				return about("change by "+user(id), err)
			}
		}
		return do(tx)
	}
}

// stillAllowed returns sql.ErrNoRows if the account is closed, or if the person no
// longer meets the condition on which the request was authorised.
func stillAllowed(ctx context.Context, tx *sql.Tx, id int64, is func(db.User) bool) error {
	u, err := account(ctx, tx, id)
	if err == nil && !(u.IsActive() && is(u)) {
		err = sql.ErrNoRows
	}
	return err
}

// read runs do on a single snapshot of the database, whatever is written meanwhile.
func (s *Store) read(ctx context.Context, do func(*sql.Tx) error) error {
	return s.engine.Read(ctx, do)
}

// writeDurably is like write, and what it has written survives a power cut. It takes
// milliseconds, whereas write takes a fraction of one.
func (s *Store) writeDurably(ctx context.Context, do func(*sql.Tx) error) error {
	return s.engine.WriteDurably(ctx, do)
}
