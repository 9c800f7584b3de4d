// Package engine defines what the store requires from a database beyond the SQL that
// every engine understands.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// An Engine is an open database. Its methods may be called from many goroutines.
type Engine interface {
	// Write runs do in one transaction, and returns do's error unchanged. An error or a
	// panic rolls the transaction back. Calls are serialised: each sees everything that
	// earlier ones have written.
	Write(ctx context.Context, do func(*sql.Tx) error) error
	// WriteDurably is like Write, and what it has written survives a power cut.
	WriteDurably(ctx context.Context, do func(*sql.Tx) error) error
	// WriteRow is like Write, or WriteDurably, for a change to one row of the table and
	// to rows that belong to it. It excludes Write and changes to the same row; changes
	// to other rows may run at the same time, if the engine can do that. do may be
	// called more than once.
	WriteRow(ctx context.Context, durably bool, table string, id int64, do func(*sql.Tx) error) error
	// WriteErasing is like Write, for deleting secrets: as far as the engine can ensure
	// it, what is deleted is also erased from the disk. Scrub does the rest.
	WriteErasing(ctx context.Context, do func(*sql.Tx) error) error
	// Scrub removes copies of secrets that may remain after WriteErasing.
	Scrub(ctx context.Context) error
	// ReuseLog makes the space of the write-ahead log available to the next writes,
	// for example because the disk is full. An engine whose log is on a server does nothing.
	// It reports whether all that was written before is in the database's own files.
	ReuseLog(ctx context.Context) (whole bool, err error)
	// Read runs do on a single snapshot of the database, whatever is written meanwhile.
	Read(ctx context.Context, do func(*sql.Tx) error) error
	// Version returns a value that changes with each transaction that is committed, by
	// any process. known is false if the engine cannot tell that for less than the price
	// of a read.
	Version() (v Version, known bool)
	// PlanEach makes the engine plan each further statement of the transaction for its
	// actual parameters, for example by how frequent a word or a tag is.
	PlanEach(ctx context.Context, tx *sql.Tx) error

	// Process returns the name of this process, which is unique among those that work
	// on the database. Leases are held under it.
	Process() string
	// Now returns the time by the clock that all processes on the database share.
	Now() time.Time
	// Enter registers this process, which works in the data folder home, as working on
	// the database, beside others or, if alone is set, exclusively. An earlier process in
	// the same folder counts as gone from then on. Enter waits for processes that prevent
	// this to end or to count as gone, and returns ErrTaken if they continue to run.
	Enter(ctx context.Context, alone bool, home Home) error
	// Stay keeps this process registered until ctx ends. A process that was not seen for
	// so long that others counted it as gone is registered again. Stay returns ErrTaken if
	// the process has lost its place: one of the two requires exclusive use, or the
	// database was moved meanwhile.
	Stay(ctx context.Context) error
	// Others returns the other processes on the database, except for those that count as
	// gone. The caller has to settle what those have left unfinished.
	Others(ctx context.Context, tx *sql.Tx) ([]Process, error)
	// IsShared reports whether another process may work on the database.
	IsShared() bool

	// Notify tells the listening processes what has happened, in a few words without
	// secrets, once the transaction is committed. An engine that serves only one
	// process does nothing.
	Notify(ctx context.Context, tx *sql.Tx, what string) error
	// Listen calls heard with each message that another process has sent with Notify,
	// until ctx ends. It calls heard with an empty string whenever messages may have
	// been missed: at the beginning, and after a connection was lost. It calls deaf,
	// with the reason, when messages cannot be received for now. A message is only a
	// hint: it may come late, twice or never.
	Listen(ctx context.Context, heard func(what string), deaf func(error)) error

	// Words returns the value of the column words of a task, from which the search
	// index is built. searched is the text to find the task by, normalised; text is the
	// prompt as it was typed.
	Words(searched, text string) sql.NullString
	// Match returns the search expression for tasks that contain all the terms. A term
	// is a sequence of adjacent words, of which the last may be only the beginning of a
	// word.
	Match(terms []string) string
	// Index describes how a statement reads the search index.
	Index() Index

	// LastNumber returns the last ID that the database has assigned in the table,
	// whether or not that row still exists.
	LastNumber(ctx context.Context, tx *sql.Tx, table string) (int64, error)
	// SetLastNumber makes the database continue to assign IDs after last.
	SetLastNumber(ctx context.Context, tx *sql.Tx, table string, last int64) error

	// Damage returns the defects that were found in the database, one string each.
	Damage(ctx context.Context) ([]string, error)
	// Close ends all connections, and the registration of this process.
	Close() error
}

// A Home identifies the data folder that a process has locked. The zero Home means that
// it is not known.
type Home struct {
	Folder string // the same at each start in the folder
	// Lock identifies the lock file, in the operating system that runs now: only one
	// process at a time can hold it. It is empty if that is not certain.
	Lock string
}

// A Process is one that works on the database.
type Process struct {
	Name string
	// GoneAt is when the process counts as gone, unless it is seen again; zero while its
	// heartbeats arrive.
	GoneAt time.Time
}

// ErrTaken means that another process works on the database and one of the two requires
// exclusive use, or that this process has lost its place; see Engine.Stay.
var ErrTaken = errors.New(
	"another Dailies works on this database; several can only with -api-url and -media given to each, so that they " +
		"share one service and one storage",
)

// ErrNoListener means that messages of other processes cannot be received at the database's
// address.
var ErrNoListener = errors.New("the address of the database leads through a transaction pooler, and no second, direct one is given")

// A Version identifies a state of the database.
type Version [48]byte

// An Index describes how a statement reads the search index of tasks. In its
// conditions, %s stands for the parameter that holds the result of Match.
type Index struct {
	From  string // the table
	ID    string // the column with the task's ID
	Where string // the condition for a row that matches
	Check string // the same for a single task; %[1]s stands for the parameter, %[2]s for the task's ID
	// Wide means that the table has all columns of the table gallery, and replaces it
	// in a statement under the alias g.
	Wide bool
	// ScanWhere is equivalent to Where, but written so that the database does not use the
	// index of words and reads rows in the order of their IDs. It is empty if matches
	// from the index come in that order anyway.
	ScanWhere string
}

// Text returns text as every engine stores it: valid UTF-8 without NUL characters.
func Text(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Versions says that a database has the tables of another version of the program. A
// version is a number of migrations.
type Versions struct {
	Has    int // the version of the tables
	Knows  int // the version of this program
	Serves int // the oldest version of the program that can use the tables
}

// Error implements error.
func (v Versions) Error() string {
	return fmt.Sprintf("its version is %d, this program's %d", v.Has, v.Knows)
}

// IsDuplicate reports whether a write was refused because the row already exists.
func IsDuplicate(err error) bool {
	c := sqliteCode(err)
	return c == codes.SQLITE_CONSTRAINT_UNIQUE || c == codes.SQLITE_CONSTRAINT_PRIMARYKEY || SQLState(err) == "23505"
}

// IsOrphan reports whether a write was refused because it refers to a row that does
// not exist.
func IsOrphan(err error) bool {
	return sqliteCode(err) == codes.SQLITE_CONSTRAINT_FOREIGNKEY || SQLState(err) == "23503"
}

// IsFull reports whether a write failed because the disk of the database is full, or a
// file has reached its maximum size.
func IsFull(err error) bool {
	c := sqliteCode(err)
	return c&0xff == codes.SQLITE_FULL || c == codes.SQLITE_IOERR_WRITE || c == codes.SQLITE_IOERR_SHMSIZE || SQLState(err) == "53100"
}

// IsBusy reports whether the database took no write at the moment, because somebody else has
// locked it, or because the server is not there.
func IsBusy(err error) bool {
	if c := sqliteCode(err) & 0xff; c == codes.SQLITE_BUSY || c == codes.SQLITE_LOCKED {
		return true
	}
	var unreachable *pgconn.ConnectError
	if errors.As(err, &unreachable) {
		return true
	}
	switch state := SQLState(err); state {
	case "55P03", "57014", "57P01", "57P02", "57P03", "53300", "40001", "40P01", "25006": // locked, too slow, stopping, too many, a conflict, a standby
		return true
	default:
		return strings.HasPrefix(state, "08") // the connection
	}
}

// Remedy says what to do about a damaged database file.
const Remedy = `stop Dailies, keep a copy of the data folder, and make a new one of a backup: dailies restore FILE -data NEW`

// WithRemedy adds Remedy to an error that says that the file is damaged.
func WithRemedy(err error) error {
	switch sqliteCode(err) & 0xff {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %s", err, Remedy)
	}
	return err
}

// sqliteCode returns SQLite's extended result code, or 0 for any other error.
func sqliteCode(err error) int {
	var refused *sqlite.Error
	if !errors.As(err, &refused) {
		return 0
	}
	return refused.Code()
}

// SQLState returns the code of an error of a Postgres server, such as 23505, or "" for
// any other error.
func SQLState(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}
