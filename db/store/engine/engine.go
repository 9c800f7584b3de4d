// Package engine says what the store needs of a database beyond the SQL that all
// of them understand.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// An Engine is an open database. Its methods may be called from many goroutines.
type Engine interface {
	// Write runs do in one transaction, and returns do's error unchanged. An error
	// or a panic rolls it back. Of two that run at once, one sees all that the
	// other has done.
	Write(ctx context.Context, do func(*sql.Tx) error) error
	// WriteDurably is Write for what must survive a power cut.
	WriteDurably(ctx context.Context, do func(*sql.Tx) error) error
	// WriteRow is Write, or WriteDurably, for a change of the row of the table and of
	// what belongs to it. Where the engine can, other rows are changed at the same
	// time. Do may run again.
	WriteRow(ctx context.Context, durably bool, table string, id int64, do func(*sql.Tx) error) error
	// WriteErasing is Write for secrets: nothing of what it deletes remains, as
	// far as the engine can see to that; Scrub does the rest.
	WriteErasing(ctx context.Context, do func(*sql.Tx) error) error
	// Scrub removes what WriteErasing has left behind.
	Scrub(ctx context.Context) error
	// Read runs do on one state of the database, whatever is written meanwhile.
	Read(ctx context.Context, do func(*sql.Tx) error) error
	// PlanEach lets the engine plan each further statement of the transaction for its
	// parameters: for how frequent a word is, or a tag.
	PlanEach(ctx context.Context, tx *sql.Tx) error

	// Process returns the name of this process among those that work on the
	// database. Leases are held under it.
	Process() string
	// Now returns the time by the clock that all processes on the database share.
	Now() time.Time
	// Enter lets this process work on the database beside others, or alone. It waits
	// for those that are in the way to end, or to be gone; ErrTaken says that they
	// go on.
	Enter(ctx context.Context, alone bool) error
	// Stay keeps this process among those on the database until ctx ends. It returns
	// ErrTaken if another one has taken its place, because it was not seen for too
	// long.
	Stay(ctx context.Context) error
	// Others returns the names of the other processes, without those that are gone:
	// what these had begun nobody else will end.
	Others(ctx context.Context, tx *sql.Tx) ([]string, error)
	// IsShared reports whether another process may work on the database.
	IsShared() bool

	// Notify tells those who listen, once the transaction is written, what has
	// happened: a few words without secrets. An engine that one process at a time
	// works on does nothing.
	Notify(ctx context.Context, tx *sql.Tx, what string) error
	// Listen calls heard with what other processes notify, until ctx ends, and with
	// nothing whenever something may have been missed: at the beginning, and when a
	// connection was lost. It calls deaf when nothing is heard for now, and why. What
	// is heard is a hint: it may come late, twice or never.
	Listen(ctx context.Context, heard func(what string), deaf func(error)) error

	// Words returns the column words of a task: what is searched, with each way to
	// write a character being one, and the text that it was made of.
	Words(searched, text string) sql.NullString
	// Match returns the question for tasks that have every one of the terms. A
	// term is a run of words that follow each other, of which the last is the
	// beginning of a word.
	Match(terms []string) string
	// Index returns how a statement reads the words.
	Index() Index

	// LastNumber returns the last number that the database has given to a row of the
	// table, whether or not that row is still there.
	LastNumber(ctx context.Context, tx *sql.Tx, table string) (int64, error)
	// SetLastNumber lets the numbers go on behind that one.
	SetLastNumber(ctx context.Context, tx *sql.Tx, table string, last int64) error

	// Damage returns what is wrong with the database, a line each.
	Damage(ctx context.Context) ([]string, error)
	// Close ends all connections, and takes this process from those on the database.
	Close() error
}

// ErrTaken says that another process works on the database, and that this one or
// the other has to be alone, or that others took this one for gone.
var ErrTaken = errors.New("another Dailies works on this database; several can only with -api-url and -media given to each, so that they share one service and one storage")

// ErrDeaf says that nothing can be heard where the database's address leads to.
var ErrDeaf = errors.New("the address of the database leads through a transaction pooler, and no second, direct one is given")

// An Index is how a statement reads the words of tasks. Of a condition, %s is the
// parameter with what Match returned.
type Index struct {
	From  string // the table
	ID    string // its column with the task's id
	Where string // the condition that a row matches
	Check string // whether the row matches whose id stands for the second %s
	// Wide says that the table has the columns of the gallery, which stand for it
	// under the name g.
	Wide bool
	// Walked is Where in a form for which rows are read in the order of the ids, one by
	// one. It is empty if those that match come in that order anyway.
	Walked string
	// Slow says that a single row takes long to be looked up.
	Slow bool
}

// Text returns text as every engine keeps it: valid UTF-8, without the character
// NUL.
func Text(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
