package db

import "time"

// A Reply is the outcome of a create call, complete enough to be written down
// anywhere and applied later.
type Reply struct {
	TaskID int64
	// SentAt is when the call began: it tells this call from another one for
	// the same task.
	SentAt time.Time
	At     time.Time // when the call ended
	// State is what the task becomes: Pending if the service took it, Rejected
	// if it refused, Queued if the call did not reach it, and Unconfirmed if
	// no answer arrived.
	State   State
	Report  Report // of a task that was taken
	Blame   Blame
	Message string
	Next    time.Time // when the task is taken up again; zero for never
}

// Apply makes the task what the reply says. A reply that says nothing new about
// an unconfirmed task changes nothing.
func (r Reply) Apply(t *Task) error {
	late := t.State == Unconfirmed
	switch {
	case r.State == Pending:
		return t.Accept(r.Report, r.At, r.Next)
	case r.State == Rejected:
		return t.Reject(r.Blame, r.Message, r.At)
	case late:
		return nil
	case r.State == Queued:
		return t.PutBack(r.Message, r.Next)
	}
	return t.Lose(r.Message, r.At)
}

// AnswersTo reports whether the reply belongs to the call that the task waits
// for, and not to an earlier one.
func (r Reply) AnswersTo(t Task) bool {
	return t.ID == r.TaskID && t.SentAt.Equal(r.SentAt) && (t.State == Sending || t.State == Unconfirmed)
}
