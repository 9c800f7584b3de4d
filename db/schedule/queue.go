// Package schedule decides when work on tasks is done, and how much at a time: which task
// is sent next, how often the service is queried, what is copied, how much disk space
// there is for it, and by which clock things are deleted.
package schedule

import (
	"cmp"
	"slices"
	"time"
)

// MostPassing is how many single videos of one person pass the waiting rows of their own
// batch before a row is sent.
const MostPassing = 3

// A Queue is what the service has not begun of everybody who shares a key. Creates are sent
// one at a time per key, and people who share a key take turns. Of one person's tasks, single
// videos come first, and after MostPassing of them comes one row of a batch.
type Queue struct {
	Lines   []Line        // what each person has waiting to be sent
	Sent    []SentTask    // what the service has or is getting, in the order in which it was sent
	Waiting []WaitingTask // the tasks of one person whose places are wanted
	Pace    KeyPace
}

// A Line is what one person has waiting to be sent.
type Line struct {
	UserID        int64
	Turn          int64 // number of the person's last turn; the lowest comes next
	Passed        int   // single videos sent since the last row, while rows were waiting
	Singles, Rows int   // how many wait; rows are those of batches

	FirstSingle, FirstRow int64 // the IDs of those that are sent first; 0 for none
}

// A SentTask is a task that was sent, and that the service has not begun.
type SentTask struct {
	ID int64
	At time.Time
}

// A WaitingTask is a task that waits to be sent.
type WaitingTask struct {
	ID, UserID int64
	IsRow      bool // of a batch
	Before     int  // how many of the person's single videos or, for a row, of their rows come before it
}

// Ahead returns how many tasks come before the task with the ID, or 0 if it has no place.
func (q Queue) Ahead(id int64) int {
	if i := slices.IndexFunc(q.Sent, func(t SentTask) bool { return t.ID == id }); i >= 0 {
		return i
	}
	i := slices.IndexFunc(q.Waiting, func(t WaitingTask) bool { return t.ID == id })
	if i < 0 {
		return 0
	}
	own := slices.IndexFunc(q.Lines, func(l Line) bool { return l.UserID == q.Waiting[i].UserID })
	if own < 0 {
		return len(q.Sent)
	}
	line := q.Lines[own]
	turn := line.turnOf(q.Waiting[i])
	ahead := len(q.Sent) + turn
	for at, other := range q.Lines {
		turns := turn
		switch {
		case at == own:
			continue
		case other.comesBefore(line):
			turns++
		}
		ahead += min(other.Singles+other.Rows, turns)
	}
	return ahead
}

// turnOf returns in which of the person's turns, counted from 0, the task is sent.
func (l Line) turnOf(t WaitingTask) int {
	passed := min(l.Passed, MostPassing)
	if t.IsRow {
		return t.Before + min(l.Singles, (t.Before+1)*MostPassing-passed)
	}
	return t.Before + min(l.Rows, (passed+t.Before)/MostPassing)
}

// comesBefore reports whether the person's turn is before that of the other. Of those who
// have had none, the one whose first task was ordered earlier has it.
func (l Line) comesBefore(other Line) bool {
	return cmp.Or(cmp.Compare(l.Turn, other.Turn), cmp.Compare(l.first(), other.first())) < 0
}

// first returns the ID of the task that is sent first.
func (l Line) first() int64 {
	if l.Singles == 0 || l.Rows > 0 && l.Passed >= MostPassing {
		return l.FirstRow
	}
	return l.FirstSingle
}

// PaceOver is the time over which the pace of a key is measured.
const PaceOver = 10 * time.Minute

// A KeyPace says how fast videos with a key end.
type KeyPace struct {
	Gap   time.Duration // the mean time between two that ended; 0 if fewer than two did
	Until time.Time     // when the first of them is too long ago to count; zero without a gap
}

// KeyPaceOf returns the pace, given when videos with the key ended within PaceOver, the last
// one first.
func KeyPaceOf(ended []time.Time) KeyPace {
	if len(ended) < 2 {
		return KeyPace{}
	}
	first := ended[len(ended)-1]
	return KeyPace{ended[0].Sub(first) / time.Duration(len(ended)-1), first.Add(PaceOver)}
}

// Wait returns how long it takes at this pace until a task with as many ahead of it has its
// turn, or 0 if that is not known.
func (p KeyPace) Wait(ahead int) time.Duration { return p.Gap * time.Duration(ahead+1) }

// Capacity says how many more tasks a worker pool can take on, by kind of work.
// Each kind has its own number, so that slow copies do not hold up queries.
type Capacity struct {
	Send  int // queued tasks: create calls
	Query int // pending and processing tasks: queries
	Keep  int // finished tasks: copies of their files

	// Turns says who is next when more queries are due than Ask; Claim advances it.
	Turns *Turns

	// Copies says which copies may begin.
	Copies CopyCapacity

	// Held lists tasks that the pool is working on. They are not claimed a second
	// time, even if their lease has expired meanwhile.
	Held []int64
}

// IsFull reports whether the pool can take on no work at all.
func (c Capacity) IsFull() bool { return c.Send <= 0 && c.Query <= 0 && c.Keep <= 0 }

// A Work summarises the work of all processes together.
type Work struct {
	Queued    int               // tasks that wait to be sent, counted up to MostWork
	Leases    map[string]Leases // by what is leased: "task", "notice", "mail", "job"
	OldestDue time.Duration     // how long the first task that is due for a query has been due
	Processes int               // processes that use the database
	Mails     int               // mails that wait to be sent or retried
	DueMail   time.Duration     // how long the first mail that is due has been due
	Backup    time.Time         // when the last backup was made; zero if none was

	Unconfirmed int     // tasks that may or may not have been paid and wait for a decision
	Failed      int64   // tasks that have failed, or were canceled or rejected by the service, ever
	Paid        float64 // credits paid for all tasks, ever, whether or not some were returned
	KeptBytes   int64   // size of all stored files
}

// MostWork limits how many tasks are counted.
const MostWork = 100_000

// Leases counts the leases that are valid, and the expired ones that no process has
// taken over.
type Leases struct{ Held, Overdue int }

// LateCall is how long a create call may take before the user is told that its outcome
// is unknown, and an admin may free its key. Its answer is still awaited.
const LateCall = 2 * time.Minute

// A Call is a create call that blocks its key: no other video is sent with the key until
// the call has ended.
type Call struct {
	TaskID  int64
	UserID  int64  // the task's maker
	Maker   string // their name
	KeyName string // the name of the team's key; empty for a person's own
	KeyEnd  string // the last characters of the key; empty if they are no longer known
	PayerID int64  // whose own key it is, if KeyName is empty
	Payer   string // their name
	SentAt  time.Time
	// FreesAt is when the key will be free because the process that made the call has
	// stopped; zero while that process is seen.
	FreesAt time.Time
}

// Blocks reports whether the call blocks its key for longer than calls normally do: the
// process that made it has stopped, or the service does not answer.
func (c Call) Blocks(now time.Time) bool {
	return !c.FreesAt.IsZero() || now.Sub(c.SentAt) >= LateCall
}

// Stopped reports whether the process that made the call has stopped.
func (c Call) Stopped() bool { return !c.FreesAt.IsZero() }
