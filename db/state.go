package db

import (
	"fmt"
	"slices"
	"time"
)

// A State says where a task stands. Five are the service's (API.md, "States and
// transitions"), four are our own.
type State string

const (
	Queued      State = "queued"      // ours: written down, not sent
	Sending     State = "sending"     // ours: the create call has begun
	Pending     State = "pending"     // the service has it
	Processing  State = "processing"  // the service works on it
	Success     State = "success"     // the video is finished
	Failed      State = "failed"      // the video could not be made; credits come back
	Canceled    State = "canceled"    // the service stopped it; credits do not come back
	Rejected    State = "rejected"    // ours: the service refused the create, nothing was paid
	Unconfirmed State = "unconfirmed" // ours: the answer to the create was lost, it may have been paid
)

// States returns all states in the order in which a task can pass through them.
func States() []State {
	return []State{Queued, Sending, Pending, Processing, Success, Failed, Canceled, Rejected, Unconfirmed}
}

// Running reports whether the task is still in progress.
func (s State) Running() bool {
	return s.isOneOf(Queued, Sending, Pending, Processing)
}

// Begun reports whether the service has begun work on the task, as far as is known.
func (s State) Begun() bool { return !s.isOneOf(Queued, Sending, Pending) }

func (s State) isOneOf(states ...State) bool { return slices.Contains(states, s) }

// OfService reports whether the state is one of those that API.md names.
func (s State) OfService() bool {
	return s.isOneOf(Pending, Processing, Success, Failed, Canceled)
}

// Unanswered reports whether the create call of a task in this state may be
// answered soon: it has begun, or is about to be made for the first time.
func (s State) Unanswered(attempts int) bool {
	return s == Queued && attempts == 0 || s == Sending
}

// A Report is what an answer of the service says about a task.
type Report struct {
	RemoteID   string
	UpstreamID string
	Status     string // as the service spells it
	Progress   float64
	Charged    Credits
	Reason     string // why it failed, or was filtered
	Filtered   bool   // it succeeded, but a filter keeps the video back
	Results    []Result
}

// Begin starts the create call: from here on the task may be charged.
func (t *Task) Begin(now time.Time) error {
	if err := t.expect(t.State == Queued); err != nil {
		return err
	}
	t.State, t.SentAt, t.Message, t.ErrorKind = Sending, now, "", NoError
	t.NextAt = time.Time{}
	return nil
}

// Accept applies the service's answer to the create call. It also applies to an
// unconfirmed task, whose answer arrived late.
//
// The task becomes pending, whatever state the answer names, because only a query
// advances a task and returns its credits. The exception is an answer that already
// carries the video.
func (t *Task) Accept(r Report, now, next time.Time) error {
	if err := t.expect(t.State.isOneOf(Sending, Unconfirmed)); err != nil {
		return err
	}
	if t.PurgedAt.IsZero() { // its maker may have put it into the bin, thinking that it was never made
		t.DeletedAt, t.DeletedBy = time.Time{}, 0
	}
	t.State, t.AcceptedAt, t.DoneAt = Pending, now, time.Time{}
	t.RemoteID, t.UpstreamID = r.RemoteID, r.UpstreamID
	r.note(t, next)
	if State(r.Status) == Success && videos(r.Results) > 0 {
		t.MakingAt = t.SentAt // it was made during the call
		r.succeed(t, now)
	}
	return nil
}

// Follow gives an unconfirmed task the ID that its maker found at the service. The
// caller must have checked that the service knows it. The task is queried under
// that ID from now on, and leaves the bin.
func (t *Task) Follow(id string, now time.Time) error {
	if err := t.expect(t.State == Unconfirmed); err != nil {
		return err
	}
	if err := t.Restore(); err != nil {
		return err
	}
	return t.Accept(Report{RemoteID: id, Status: string(Pending)}, now, now)
}

// Reject ends the task because the service refused it, so that nothing was paid. An
// unconfirmed task may be refused late.
func (t *Task) Reject(kind ErrorKind, message string, now time.Time) error {
	if err := t.expect(t.State.isOneOf(Queued, Sending, Unconfirmed)); err != nil {
		return err
	}
	end(t, Rejected, now)
	t.ErrorKind, t.Message = kind, message
	return nil
}

// PutBack returns a task to the queue because its create call did not reach the
// service, or was refused before it was read: sending it again is safe.
func (t *Task) PutBack(message string, next time.Time) error {
	if err := t.expect(t.State == Sending); err != nil {
		return err
	}
	t.State, t.SentAt, t.NextAt = Queued, time.Time{}, next
	t.ErrorKind, t.Message = ServiceError, message
	t.Attempts++
	return nil
}

// Lose marks a task as unconfirmed, because the answer to its create call was lost.
// It is never sent again automatically.
func (t *Task) Lose(message string, now time.Time) error {
	if err := t.expect(t.State == Sending); err != nil {
		return err
	}
	end(t, Unconfirmed, now)
	t.ErrorKind, t.Message = ServiceError, message
	return nil
}

// Decide records that the person chose what to do with an unconfirmed task, or has
// seen that a task made no video.
func (t *Task) Decide(now time.Time) error {
	if err := t.expect(t.State.isOneOf(Unconfirmed, Rejected, Failed, Canceled)); err != nil {
		return err
	}
	if t.DecidedAt.IsZero() {
		t.DecidedAt = now
	}
	return nil
}

// Report applies the service's answer to a query about a running task. A state that
// API.md does not list counts as processing; the task is queried again at next.
func (t *Task) Report(r Report, now, next time.Time) error {
	if err := t.expect(t.State.isOneOf(Pending, Processing)); err != nil {
		return err
	}
	t.Queries++
	r.apply(t, now, next)
	return nil
}

// note applies what does not depend on the state that the answer names.
func (r Report) note(t *Task, next time.Time) {
	t.Status, t.Attempts, t.NextAt = r.Status, 0, next
	t.Message, t.ErrorKind = "", NoError
	t.Progress = max(t.Progress, r.Progress)
	if r.UpstreamID != "" {
		t.UpstreamID = r.UpstreamID
	}
	if r.Charged.Known {
		t.Charged = r.Charged
	}
}

// apply applies the answer to a query.
func (r Report) apply(t *Task, now, next time.Time) {
	paid, again := t.Charged, State(t.Status) == Success
	r.note(t, next)
	t.MakingAt = r.makingAt(*t, now)
	switch State(r.Status) {
	case Pending:
	case Success:
		switch {
		case !r.Filtered || videos(r.Results) > 0:
			r.succeed(t, now)
		case again:
			r.filter(t, paid, now)
		default:
			t.State = Processing // the service is asked once more
		}
	case Failed, Canceled:
		end(t, State(r.Status), now)
		t.ErrorKind, t.Message = RequestError, r.Reason
		repay(t, paid, now)
	default:
		t.State = Processing
	}
}

// soonShown is within what time of its acceptance a first query counts as showing that a
// task never waited.
const soonShown = 10 * time.Second

// makingAt returns when making of the task started, after a query at the time now. A task
// that is over when its making was never shown counts from its acceptance, and so does one
// whose first query, soon after it, shows the making: otherwise the time would depend on when
// that query came. When an earlier version of the program saw the making first, that is not
// known.
func (r Report) makingAt(t Task, now time.Time) time.Time {
	switch {
	case t.State != Pending || State(r.Status) == Pending:
		return t.MakingAt
	case State(r.Status).isOneOf(Success, Failed, Canceled), t.Queries <= 1 && now.Sub(t.AcceptedAt) <= soonShown:
		return t.AcceptedAt
	}
	return now
}

// succeed ends the task with a video. A video whose address is not known yet counts
// as being saved, and the service is asked for the address.
func (r Report) succeed(t *Task, now time.Time) {
	next := t.NextAt
	end(t, Success, now)
	t.Progress, t.Results, t.Keeping, t.NextAt = 1, r.Results, Saving, now
	if t.LacksAddress() {
		t.NextAt = next
	}
}

// filter ends the task without a video, because the service says twice that a filter keeps it
// back. It was made, so that its credits do not come back by themselves.
func (r Report) filter(t *Task, paid Credits, now time.Time) {
	end(t, Failed, now)
	t.Keeping, t.Progress = NothingToKeep, 0
	t.ErrorKind, t.Message = RequestError, r.Reason
	repay(t, paid, now)
}

// Filtered reports whether the service made the video and a filter keeps it back. For the
// service the task succeeded, and it keeps its charge; for people it failed.
func (t Task) Filtered() bool {
	return t.State == Failed && State(t.Status) == Success && t.ErrorKind == RequestError && len(t.Media) == 0
}

// Abandon ends a running task because the service's answers about it cannot be read. What was
// charged is not returned by that.
func (t *Task) Abandon(message string, now time.Time) error {
	if err := t.expect(t.State.isOneOf(Pending, Processing)); err != nil {
		return err
	}
	end(t, Failed, now)
	t.Status, t.ErrorKind, t.Message = string(Failed), ServiceError, message
	return nil
}

// Retry records a failed query or copy that says nothing about the task itself. The
// next attempt is due at next.
func (t *Task) Retry(kind ErrorKind, message string, next time.Time) error {
	if err := t.expect(t.State.Running() || t.Keeping == Saving); err != nil {
		return err
	}
	t.ErrorKind, t.Message, t.NextAt = kind, message, next
	t.Attempts++
	return nil
}

func end(t *Task, s State, now time.Time) {
	t.State, t.DoneAt, t.NextAt = s, now, time.Time{}
}

// expect returns nil if the precondition of a change holds, else ErrConflict.
func (t *Task) expect(fits bool) error {
	if fits {
		return nil
	}
	return fmt.Errorf("task %d is %s: %w", t.ID, t.State, ErrConflict)
}

// A Reply is the outcome of a create call, complete enough to be stored anywhere
// and applied later.
type Reply struct {
	TaskID int64
	// SentAt is when the call began. It distinguishes the call from other calls for
	// the same task.
	SentAt time.Time
	At     time.Time // when the call ended
	// State names the state that follows: Pending if the service took the task,
	// Rejected if it refused, Queued if the call did not reach it, and
	// Unconfirmed if no answer arrived.
	State     State
	Report    Report    // of a task that was taken
	ErrorKind ErrorKind `json:"Blame"` // as earlier versions have stored it
	Message   string
	Next      time.Time // when the task is due again; zero for never
}

// Apply changes the task as the reply says. A reply that says nothing new about an
// unconfirmed task changes nothing.
func (r Reply) Apply(t *Task) error {
	late := t.State == Unconfirmed
	switch {
	case r.State == Pending:
		return t.Accept(r.Report, r.At, r.Next)
	case r.State == Rejected:
		return t.Reject(r.ErrorKind, r.Message, r.At)
	case late:
		return nil
	case r.State == Queued:
		return t.PutBack(r.Message, r.Next)
	}
	return t.Lose(r.Message, r.At)
}

// AnswersTo reports whether the reply belongs to the call that the task is waiting
// for, and not to an earlier one.
func (r Reply) AnswersTo(t Task) bool {
	return t.ID == r.TaskID && t.SentAt.Equal(r.SentAt) && (t.State == Sending || t.State == Unconfirmed)
}
