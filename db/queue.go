package db

import (
	"cmp"
	"slices"
	"time"
)

// A QueuedTask is a task that has not begun at the service.
type QueuedTask struct {
	TaskID int64
	UserID int64
	SentAt time.Time // zero for one that is queued here
	Turn   int64     // when its maker last had a turn; the lowest comes next
}

// A Queue holds the tasks of one key that have not begun, in the order in which they
// will.
type Queue []QueuePlace

// A QueuePlace is that of one person's task.
type QueuePlace struct{ TaskID, UserID int64 }

// QueueOf returns the tasks in order: first those that were sent, then those to
// be sent. Creates go out one after another per key, and people who share a key
// take turns.
func QueueOf(waiting []QueuedTask) Queue {
	waiting = slices.SortedFunc(slices.Values(waiting), func(a, b QueuedTask) int { return cmp.Compare(a.TaskID, b.TaskID) })
	round, queued := map[int64]int{}, map[int64]int{} // by task; by person
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

// Ahead returns how many tasks come before the one with the id, and how many people
// other than its maker these are of; 0 for one that is not in the queue.
func (q Queue) Ahead(id int64) (tasks, people int) {
	tasks = max(0, slices.IndexFunc(q, func(p QueuePlace) bool { return p.TaskID == id }))
	others := map[int64]bool{}
	for _, p := range q[:tasks] {
		if p.UserID != q[tasks].UserID {
			others[p.UserID] = true
		}
	}
	return tasks, len(others)
}

// Capacity says how many more tasks a worker pool can take on, by what is to be
// done with them. Each kind of work has its own number, so that slow copies hold
// up no question.
type Capacity struct {
	Send int // queued: the create call
	Ask  int // pending and processing: a question
	Keep int // finished and not kept: the copy

	// Held lists tasks that the pool works on already. They are not claimed a
	// second time, even if their lease has run out meanwhile.
	Held []int64
}

// IsFull reports whether the pool can take on nothing.
func (c Capacity) IsFull() bool { return c.Send <= 0 && c.Ask <= 0 && c.Keep <= 0 }

// LacksSome reports whether there is no place left for one kind of work.
func (c Capacity) LacksSome() bool { return c.Send <= 0 || c.Ask <= 0 || c.Keep <= 0 }

// A Work says what all processes together have to do.
type Work struct {
	Queued    int               // tasks that wait to be sent, counted up to MostWork
	Leases    map[string]Leases // by what is leased: "task", "notice", "mail", "job"
	OldestDue time.Duration     // since the first task that is due to be asked about was
	Processes int               // that work on the database
	Mails     int               // that wait to be sent, or to be tried again
	DueMail   time.Duration     // since the first mail that is due was
}

// MostWork bounds how many tasks are counted.
const MostWork = 100_000

// Leases counts those that last, and those that have run out without anybody having
// taken over.
type Leases struct{ Held, Overdue int }
