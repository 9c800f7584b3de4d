// Package store keeps the nouns of package db in a database: one file per noun.
// All SQL of the app stands here.
//
// Errors say what was asked, once ("task 7: not found"), around db.ErrNotFound
// or db.ErrConflict where one of these is meant.
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
	zones  sync.Map // of *time.Location, by name
}

// schema returns the app's tables.
func schema() sqlite.Schema {
	return sqlite.Schema{Files: sqlite.Migrations, After: map[string]func(context.Context, *sql.Tx) error{
		"002_order.sql":    fillWords, // before the index is made anew
		"005_links.sql":    hashShares,
		"006_pictures.sql": hashPictures,
	}}
}

// ErrOtherVersion says that another version of Dailies has made the tables.
var ErrOtherVersion = sqlite.ErrOtherVersion

// Open opens the database with the name: the path of a file of SQLite, which is
// made if there is none, or the address of a server (see IsAddress). It brings the
// tables up to date. A database that a newer Dailies has written is an error.
func Open(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return onServer(postgres.Open(ctx, path))
	}
	s, err := on(sqlite.Open(ctx, path, schema()))
	if err != nil {
		return nil, err
	}
	if err := s.normEmails(ctx); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// OpenExisting opens a database file that another program may be working on,
// and leaves its tables as they are. One of another version of Dailies is
// ErrOtherVersion.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return onServer(postgres.OpenExisting(ctx, path))
	}
	return on(sqlite.OpenExisting(ctx, path, schema()))
}

// OpenToRead is OpenExisting without the right to change anything in the file.
func OpenToRead(ctx context.Context, path string) (*Store, error) {
	if IsAddress(path) {
		return OpenExisting(ctx, path)
	}
	return on(sqlite.OpenToRead(ctx, path, schema()))
}

func on(engine *sqlite.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return &Store{engine: engine, writes: engine.Writes, reads: engine.Reads}, nil
}

// onServer is on for a server.
func onServer(engine *postgres.DB, err error) (*Store, error) {
	if errors.Is(err, postgres.ErrOtherVersion) {
		err = fmt.Errorf("%w: %w", ErrOtherVersion, err)
	}
	if err != nil {
		return nil, err
	}
	return &Store{engine: engine, writes: engine.Writes, reads: engine.Reads}, nil
}

// IsAddress reports whether a database is named by the address of a server, and
// not by the path of a file.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Process returns the name under which this process holds leases.
func (s *Store) Process() string { return s.engine.Process() }

// Now returns the time by the clock that all processes on the database share: the
// server's, or where there is none this machine's. Leases are timed by it, and what
// is due.
func (s *Store) Now() time.Time { return s.engine.Now().UTC().Truncate(time.Millisecond) }

// Enter lets this process work on the database, before anything that earlier ones
// have left is taken up: beside others, or alone. It waits for those that are in
// the way and have just ended.
func (s *Store) Enter(ctx context.Context, alone bool) error { return s.engine.Enter(ctx, alone) }

// Stay keeps this process on the database until ctx ends. An error says that
// another one has taken its place.
func (s *Store) Stay(ctx context.Context) error { return s.engine.Stay(ctx) }

// IsShared reports whether another process may work on the database.
func (s *Store) IsShared() bool { return s.engine.IsShared() }

// A Listener hears what other processes have done in the database. Its functions
// are called one after another.
type Listener struct {
	Queued   func()                              // there may be tasks to be sent
	Answered func(ctx context.Context, id int64) // the create call of the task has an outcome
	Deaf     func(error)                         // nothing is heard until the next call of Queued, and why
}

// ErrDeaf says that the database's address leads through a transaction pooler, so
// that a process hears nothing of others.
var ErrDeaf = engine.ErrDeaf

// Listen tells the listener what other processes do, until ctx ends. These are
// hints: what nobody has heard still stands in the database.
func (s *Store) Listen(ctx context.Context, to Listener) error {
	return s.engine.Listen(ctx, func(what string) {
		if id := answeredTask(what); id > 0 {
			to.Answered(ctx, id)
		} else if what == queued || what == "" {
			to.Queued()
		}
	}, to.Deaf)
}

// answeredTask returns the id of the task that was answered; 0 where something else
// is said. Whoever may write to the database may say anything.
func answeredTask(what string) int64 {
	id, found := strings.CutPrefix(what, answered)
	n, err := strconv.ParseInt(id, 10, 64)
	if !found || err != nil || n < 1 {
		return 0
	}
	return n
}

// What processes tell each other.
const (
	queued   = "queued"
	answered = "answered " // and the task's id
)

// tellAnswered tells other processes, where somebody may wait for it, that the
// create call of the task has an outcome.
func (s *Store) tellAnswered(ctx context.Context, tx *sql.Tx, before, after db.Task) error {
	if !before.State.Unanswered(before.Attempts) || after.State.Unanswered(after.Attempts) {
		return nil
	}
	return s.engine.Notify(ctx, tx, answered+strconv.FormatInt(after.ID, 10))
}

// AddressName returns the address of a server as it may be shown.
func AddressName(address string) string { return postgres.Name(address) }

// Copy makes a new database file of one state of the database at from, whatever is
// written to that meanwhile.
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

// Close ends all connections.
func (s *Store) Close() error { return s.engine.Close() }

// Writable returns an error unless the database takes what is written to it.
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

// writeAsAdmin is write for what only admins change. It is db.ErrNotFound if the person
// who acts is none any more: that changed while their request waited for its turn. What
// nobody asks for, such as the change of a command, goes on.
func (s *Store) writeAsAdmin(ctx context.Context, do func(*sql.Tx) error) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if id := team.ActorIn(ctx).UserID; id != 0 {
			if err := still(ctx, tx, id, db.User.IsAdmin); err != nil {
				return err
			}
		}
		return do(tx)
	})
}

// still is sql.ErrNoRows if the account is closed by now, or if the person is not, or
// not any more, what the request was let in for.
func still(ctx context.Context, tx *sql.Tx, id int64, is func(db.User) bool) error {
	u, err := account(ctx, tx, id)
	if err == nil && !(u.IsActive() && is(u)) {
		err = sql.ErrNoRows
	}
	return err
}

// read runs do on one state of the database, whatever is written meanwhile.
func (s *Store) read(ctx context.Context, do func(*sql.Tx) error) error {
	return s.engine.Read(ctx, do)
}

// writeDurably is write for what must survive a power cut. It takes milliseconds
// where write takes a fraction of one.
func (s *Store) writeDurably(ctx context.Context, do func(*sql.Tx) error) error {
	return s.engine.WriteDurably(ctx, do)
}
