package watch

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"dailies/db"
	"dailies/db/aside"
	"dailies/db/store"
)

// The pauses between two attempts to record the outcome of a create call.
const (
	settleFirst   = 250 * time.Millisecond
	settleLongest = 10 * time.Second

	// settlePatience is how long the first attempt may wait for the database, behind
	// other writers, before the answer is stored in a file beside it.
	settlePatience = 2 * time.Second
)

// A recorder records the outcomes of calls. It has a folder beside the database for
// outcomes that the database cannot store.
type recorder struct {
	*Config
	pool     *workerPool
	wake     func()
	stopping <-chan struct{} // closed when the program is asked to stop
}

// recordReply records the outcome of a create call. That information exists nowhere
// else, so it retries until the write succeeds or the process ends; a note in a file
// beside the database outlives the process. Meanwhile other tasks with the same key
// can be sent.
func (s *recorder) recordReply(life context.Context, n aside.Note) error {
	id := n.Reply.TaskID
	first, cancel := context.WithTimeout(context.WithoutCancel(life), settlePatience)
	err := s.writeReply(first, n)
	cancel()
	if err == nil || superseded(err) {
		return s.unmatched(life, n, err)
	}
	s.Log.Error("cannot write down what the service answered; it is tried until it is written",
		"task", id, "outcome", n.Reply.State, "service id", n.Reply.Report.RemoteID, "err", err)
	s.pool.endCall(id)
	noted, freed := false, false
	for pause := settleFirst; ; pause = min(2*pause, settleLongest) {
		if full(err) {
			s.freeSpace()
		}
		if !noted {
			noted = s.saveNote(n)
		}
		if !freed && s.freeKey(life, n.Reply) == nil {
			freed = true
			s.wake()
		}
		if !s.mayRetry(life, pause, noted) {
			return err // the next start reads the note
		}
		if err = s.writeReply(life, n); err == nil || superseded(err) {
			s.removeNote(id)
			return s.unmatched(life, n, err)
		}
	}
}

func (s *recorder) writeReply(ctx context.Context, n aside.Note) error {
	var before db.Task
	t, err := s.Store.Calls.SettleCall(ctx, n.Reply.TaskID, func(t *db.Task) error {
		before = *t
		if !n.Reply.AnswersTo(*t) {
			return fmt.Errorf("task %d waits for no answer: %w", t.ID, db.ErrConflict)
		}
		return n.Reply.Apply(t)
	}, n.Answers...)
	if err == nil {
		s.logEnd(ctx, before, t)
	}
	if errors.Is(err, db.ErrConflict) && n.Reply.State == db.Pending {
		return s.addBeside(ctx, n)
	}
	return err
}

// mayRetry waits for the pause and returns true, or false if the process ends. Once
// the note is on disk, it returns false as soon as a stop is requested.
func (s *recorder) mayRetry(life context.Context, pause time.Duration, noted bool) bool {
	var stop <-chan struct{}
	if noted {
		stop = s.stopping
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-life.Done():
		return false
	case <-stop:
		return false
	case <-timer.C:
		return true
	}
}

// saveNote writes the note to disk, and reports whether that succeeded.
func (s *recorder) saveNote(n aside.Note) bool {
	if s.Aside == "" {
		return false
	}
	err := aside.In(s.Aside).Put(n)
	if full(err) && s.freeSpace() {
		err = aside.In(s.Aside).Put(n)
	}
	if err != nil {
		s.Log.Error("cannot note what the service answered either", "task", n.Reply.TaskID, "err", err)
	}
	return err == nil
}

func (s *recorder) removeNote(id int64) {
	if s.Aside == "" {
		return
	}
	if err := aside.In(s.Aside).Remove(id); err != nil {
		s.Log.Warn("a note that is no longer needed cannot be removed", "task", id, "err", err)
	}
}

// freeKey lets the next create call with the same key begin.
func (s *recorder) freeKey(life context.Context, r db.Reply) error {
	ctx, cancel := context.WithTimeout(life, settlePatience)
	defer cancel()
	return s.Store.Calls.EndCall(ctx, r.TaskID, r.SentAt)
}

// unmatched frees the key of a call whose task no longer waits for its outcome, and
// returns err.
func (s *recorder) unmatched(ctx context.Context, n aside.Note, err error) error {
	if err == nil {
		return nil
	}
	if freed := s.freeKey(ctx, n.Reply); freed != nil {
		s.Log.Error("cannot write down that a create call is over; its key waits until that is noticed",
			"task", n.Reply.TaskID, "err", freed)
	}
	return err
}

// addBeside adds a second task for what the service made, because the user has
// meanwhile given the original task another id of the service: both were paid. It is
// no error if a task has this id already.
func (s *recorder) addBeside(ctx context.Context, n aside.Note) error {
	added, err := s.Store.Calls.AddAnswered(ctx, n.Reply.TaskID, n.Reply.Report.RemoteID, func(t *db.Task) error {
		return errors.Join(t.Begin(n.Reply.SentAt), n.Reply.Apply(t))
	}, n.Answers...)
	if errors.Is(err, db.ErrTaken) {
		return s.freeKey(ctx, n.Reply)
	}
	if err == nil {
		err = s.freeKey(ctx, n.Reply)
		s.Log.Warn("the service answered after its video was given another id; both are kept", "task", n.Reply.TaskID, "added", added.ID)
	}
	return err
}

// superseded reports whether the task can no longer take the change, so that a retry
// is pointless.
func superseded(err error) bool {
	return errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound)
}

// full reports whether a write failed because the disk is full.
func full(err error) bool { return err != nil && (store.IsFull(err) || errors.Is(err, syscall.ENOSPC)) }

// freeSpace frees the disk space reserved for paid answers, and reports whether there
// was any.
func (s *recorder) freeSpace() bool { return s.OnFull != nil && s.OnFull() }

// applyNotes applies the notes that an earlier process left, before its unanswered
// calls are marked as lost. It returns the notes that cannot be applied yet.
func (s *recorder) applyNotes(ctx context.Context) (left []aside.Note) {
	if s.Aside == "" {
		return nil
	}
	notes, odd := aside.In(s.Aside).All()
	if odd != nil {
		s.Log.Error("a noted answer cannot be read; it is left where it is", "folder", s.Aside, "err", odd)
	}
	for _, n := range notes {
		id, remote := n.Reply.TaskID, n.Reply.Report.RemoteID
		err := s.writeReply(ctx, n)
		switch {
		case err == nil:
			s.Log.Info("an answer that could not be written down before is now", "task", id, "service id", remote)
			s.removeNote(id)
		case errors.Is(err, db.ErrNotFound):
			s.Log.Warn("a noted answer belongs to no task; its note is left", "task", id, "service id", remote)
		case superseded(err): // it was recorded after all, or the task was given another id
			_ = s.unmatched(ctx, n, err)
			s.removeNote(id)
		default:
			left = append(left, n)
		}
	}
	return left
}

// resume retries in the background to record a note of an earlier process.
func (s *recorder) resume(life context.Context, n aside.Note) {
	id := n.Reply.TaskID
	s.pool.take(id, sending)
	s.pool.endCall(id)
	s.pool.Go(func() {
		if err := s.recordReply(life, n); err != nil && life.Err() == nil && !superseded(err) {
			s.Log.Error("a noted answer stays for the next start", "task", id, "err", err)
		}
		s.pool.release(id)
		s.wake()
	})
}

// record records the answer to a query. If the database fails, it retries up to five
// times, but not after ctx has ended: the same answer can be queried again.
func (s *recorder) record(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) error {
	const tries = 6
	var err error
	for try := range tries {
		var before, t db.Task
		t, err = s.Store.Tasks.UpdateTask(context.WithoutCancel(ctx), id, func(t *db.Task) error {
			before = *t
			return change(t)
		}, answers...)
		if err == nil {
			s.logEnd(ctx, before, t)
		}
		if err == nil || superseded(err) {
			return err
		}
		s.Log.Error("cannot write down what was learned", "task", id, "try", try+1, "err", err)
		if try < tries-1 {
			sleep(ctx, settleFirst<<try)
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}
