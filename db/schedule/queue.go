// Package schedule decides when work on tasks is done, and how much at a time: which task
// is sent next, how often the service is queried, what is copied, how much disk space
// there is for it, and by which clock things are deleted.
package schedule

import (
	"cmp"
	"slices"
	"time"
)

// A QueuedTask is a task that the service has not begun.
type QueuedTask struct {
	TaskID int64
	UserID int64
	SentAt time.Time // zero if it was not sent yet
	Turn   int64     // number of its maker's last turn; the lowest comes next
}

// A Queue holds the tasks of one key that the service has not begun, in the order
// in which it will begin them.
type Queue []QueuePlace

// A QueuePlace is the place of one person's task.
type QueuePlace struct{ TaskID, UserID int64 }

// QueueOf returns the tasks as a queue: first those that were sent, then those to
// be sent. Creates are sent one at a time per key, and people who share a key take
// turns.
func QueueOf(waiting []QueuedTask) Queue {
	waiting = slices.SortedFunc(slices.Values(waiting), func(a, b QueuedTask) int { return cmp.Compare(a.TaskID, b.TaskID) })
	round, queued := map[int64]int{}, map[int64]int{} // round of each task; queued tasks of each person
	for _, w := range waiting {
		if w.SentAt.IsZero() {
			round[w.TaskID] = queued[w.UserID]
			queued[w.UserID]++
		}
	}
	slices.SortStableFunc(waiting, func(a, b QueuedTask) int {
		switch {
		case a.SentAt.IsZero() != b.SentAt.IsZero():
			if b.SentAt.IsZero() {
				return -1
			}
			return 1
		case !a.SentAt.IsZero():
			return a.SentAt.Compare(b.SentAt)
		}
		return cmp.Or(cmp.Compare(round[a.TaskID], round[b.TaskID]), cmp.Compare(a.Turn, b.Turn))
	})
	queue := make(Queue, len(waiting))
	for i, w := range waiting {
		queue[i] = QueuePlace{w.TaskID, w.UserID}
	}
	return queue
}

// Ahead returns how many tasks come before the task with the ID, or 0 if it is not in the
// queue.
func (q Queue) Ahead(id int64) int {
	return max(0, slices.IndexFunc(q, func(p QueuePlace) bool { return p.TaskID == id }))
}

// Capacity says how many more tasks a worker pool can take on, by kind of work.
// Each kind has its own number, so that slow copies do not hold up queries.
type Capacity struct {
	Send int // queued tasks: create calls
	Ask  int // pending and processing tasks: queries
	Keep int // finished tasks: copies of their files

	// Turns says who is next when more queries are due than Ask; Claim advances it.
	Turns *Turns

	// Copies says which copies may begin.
	Copies CopyRoom

	// Held lists tasks that the pool is working on. They are not claimed a second
	// time, even if their lease has expired meanwhile.
	Held []int64
}

// IsFull reports whether the pool can take on no work at all.
func (c Capacity) IsFull() bool { return c.Send <= 0 && c.Ask <= 0 && c.Keep <= 0 }

// A Work summarises the work of all processes together.
type Work struct {
	Queued    int               // tasks that wait to be sent, counted up to MostWork
	Leases    map[string]Leases // by what is leased: "task", "notice", "mail", "job"
	OldestDue time.Duration     // how long the first task that is due for a query has been due
	Processes int               // processes that use the database
	Mails     int               // mails that wait to be sent or retried
	DueMail   time.Duration     // how long the first mail that is due has been due

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
