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

// The pauses between two tries to write down what a create call came to.
const (
	settleFirst   = 250 * time.Millisecond
	settleLongest = 10 * time.Second

	// settlePatience is how long the first try may wait for the database, behind
	// others that wait too, before the answer is noted beside it.
	settlePatience = 2 * time.Second
)

// settleReply writes down what a create call came to. That exists nowhere else,
// so it is tried until it is written, for as long as the process lives; a note
// beside the database outlives the process. Meanwhile the task keeps no other
// one of its key waiting.
func (w *Watcher) settleReply(life context.Context, n aside.Note) error {
	id := n.Reply.TaskID
	first, cancel := context.WithTimeout(context.WithoutCancel(life), settlePatience)
	err := w.writeReply(first, n)
	cancel()
	if err == nil || moved(err) {
		return w.unmatched(n, err)
	}
	w.Log.Error("cannot write down what the service answered; it is tried until it is written",
		"task", id, "outcome", n.Reply.State, "service id", n.Reply.Report.RemoteID, "err", err)
	w.pool.endCall(id)
	w.Wake()
	noted := false
	for pause := settleFirst; ; pause = min(2*pause, settleLongest) {
		if full(err) {
			w.makeRoom()
		}
		if !noted {
			noted = w.setAside(n)
		}
		if !w.mayRetry(life, pause, noted) {
			return err // the next start adopts the note
		}
		if err = w.writeReply(life, n); err == nil || moved(err) {
			w.forget(id)
			return w.unmatched(n, err)
		}
	}
}

func (w *Watcher) writeReply(ctx context.Context, n aside.Note) error {
	_, err := w.Store.SettleTask(ctx, n.Reply.TaskID, func(t *db.Task) error {
		if !n.Reply.AnswersTo(*t) {
			return fmt.Errorf("task %d waits for no answer: %w", t.ID, db.ErrConflict)
		}
		return n.Reply.Apply(t)
	}, n.Answers...)
	return err
}

// mayRetry waits for the pause. It reports false when the process ends; with a
// note on the disk there is no need to wait for that until the last moment.
func (w *Watcher) mayRetry(life context.Context, pause time.Duration, noted bool) bool {
	var stop <-chan struct{}
	if noted {
		stop = w.stopping
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

// setAside writes the note, and reports whether it is on the disk.
func (w *Watcher) setAside(n aside.Note) bool {
	if w.Aside == "" {
		return false
	}
	err := aside.In(w.Aside).Put(n)
	if full(err) && w.makeRoom() {
		err = aside.In(w.Aside).Put(n)
	}
	if err != nil {
		w.Log.Error("cannot note what the service answered either", "task", n.Reply.TaskID, "err", err)
	}
	return err == nil
}

func (w *Watcher) forget(id int64) {
	if w.Aside == "" {
		return
	}
	if err := aside.In(w.Aside).Remove(id); err != nil {
		w.Log.Warn("a note that is no longer needed cannot be removed", "task", id, "err", err)
	}
}

// unmatched logs an outcome that its task no longer waits for: the task may
// have been given another id meanwhile.
func (w *Watcher) unmatched(n aside.Note, err error) error {
	if err != nil && n.Reply.State == db.Pending {
		w.Log.Error("the service's answer came to a task that has moved on", "task", n.Reply.TaskID, "service id", n.Reply.Report.RemoteID)
	}
	return err
}

// moved reports whether the task no longer takes the change: it cannot be
// written, however often it is tried.
func moved(err error) bool { return errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound) }

// full reports whether a write failed for want of room on the disk.
func full(err error) bool { return err != nil && (store.IsFull(err) || errors.Is(err, syscall.ENOSPC)) }

// makeRoom frees what is held in reserve for answers that were paid for, and
// reports whether there was any.
func (w *Watcher) makeRoom() bool { return w.OnFull != nil && w.OnFull() }

// adopt applies the notes that an earlier process left, before what it was
// sending is taken for lost. It returns those that the database does not take
// yet.
func (w *Watcher) adopt(ctx context.Context) (left []aside.Note) {
	if w.Aside == "" {
		return nil
	}
	notes, odd := aside.In(w.Aside).All()
	if odd != nil {
		w.Log.Error("a noted answer cannot be read; it is left where it is", "folder", w.Aside, "err", odd)
	}
	for _, n := range notes {
		id, remote := n.Reply.TaskID, n.Reply.Report.RemoteID
		err := w.writeReply(ctx, n)
		if full(err) && w.makeRoom() {
			err = w.writeReply(ctx, n)
		}
		switch {
		case err == nil:
			w.Log.Info("an answer that could not be written down before is now", "task", id, "service id", remote)
			w.forget(id)
		case errors.Is(err, db.ErrNotFound):
			w.Log.Warn("a noted answer belongs to no task; its note is left", "task", id, "service id", remote)
		case moved(err): // it was written after all, or the task was given another id
			_ = w.unmatched(n, err)
			w.forget(id)
		default:
			left = append(left, n)
		}
	}
	return left
}

// resume goes on writing down a note of an earlier process.
func (w *Watcher) resume(life context.Context, n aside.Note) {
	id := n.Reply.TaskID
	w.pool.take(id, sending)
	w.pool.endCall(id)
	w.pool.Go(func() {
		if err := w.settleReply(life, n); err != nil && life.Err() == nil && !moved(err) {
			w.Log.Error("a noted answer stays for the next start", "task", id, "err", err)
		}
		w.pool.release(id)
		w.Wake()
	})
}

// updater is UpdateTask or SettleTask of the store.
type updater func(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error)

// settle writes down what was learned about a task. It is tried again for a
// while when the database does not take it, but not beyond the end of ctx:
// whatever it is, it can be learned again.
func (w *Watcher) settle(ctx context.Context, update updater, id int64, change func(*db.Task) error, answers ...db.Answer) error {
	var err error
	for try := range 6 {
		if _, err = update(context.WithoutCancel(ctx), id, change, answers...); err == nil || moved(err) {
			return err
		}
		w.Log.Error("cannot write down what was learned", "task", id, "try", try+1, "err", err)
		sleep(ctx, settleFirst<<try)
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}
