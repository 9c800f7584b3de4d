package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/aside"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/web/videoapi"
)

// A sender makes create calls.
type sender struct {
	*Config
	recorder *recorder
	paces    *paceCache
	intents  *intents
}

// send makes the create call for a queued task. The row is marked as sending before
// the call begins: after a crash in between, the user is asked what to do, so that no
// video is paid twice. The call may run until life ends.
func (s *sender) send(ctx, life context.Context, t db.Task) error {
	key, text, err := s.payersKey(ctx, t)
	current, _, changed := s.Store.Services.Current(ctx)
	if changed != nil {
		return changed
	}
	if current.ID != t.ServiceID || err == nil && key.ServiceID != t.ServiceID {
		// The team has changed services since the task was claimed.
		return s.Store.Leases.EndLease(ctx, s.Store.Process(), t.ID)
	}
	if err != nil {
		return s.reject(ctx, t.ID, db.KeyError, noKeyToMake, err)
	}
	model, ok := s.Catalog.Model(t.Model)
	if !ok {
		return s.reject(ctx, t.ID, db.RequestError, modelGone(t.Model), nil)
	}
	service, err := s.Services.Client(ctx, t.ServiceID)
	if err != nil {
		return err
	}
	// The call begins here, before the row is marked. If the process is suspended for
	// long in between, the service is not called at all: see videoapi.Client.Create.
	call, end := context.WithTimeout(life, videoapi.LongestCreate)
	defer end()
	id, sentAt := t.ID, s.Store.Now()
	intent := s.intents.intend(t, key, sentAt)
	t, err = s.Store.Calls.SendTask(ctx, s.Store.Process(), id, key, sentAt)
	if err != nil {
		s.intents.drop(intent) // the call is not made
	}
	if errors.Is(err, db.ErrConflict) {
		// Another process has the task, or is making a create call with the same key, or
		// the task waits for the price of another one.
		return s.Store.Leases.EndLease(ctx, s.Store.Process(), id)
	}
	if reached := new(spending.Reached); errors.As(err, &reached) {
		return s.reject(ctx, id, db.LimitError, limitReached(*reached), nil)
	}
	if err != nil {
		s.takeBack(life, id, sentAt)
		return err
	}
	s.intents.begin(intent)
	// The call outlives its lease: once it has begun, only its answer tells the
	// outcome.
	ended := make(chan aside.Note, 1)
	go func() {
		var n aside.Note
		if err := survive(func() error {
			answer, err := service.Create(call, text, request(model, t))
			s.count("create", err)
			s.noteCall(service.Host(), t.ID, true, err)
			n = s.note(t, answer, err)
			return nil
		}); err != nil {
			s.Log.Error("a create call ended in a panic", "task", t.ID, "err", err)
			n = s.note(t, videoapi.Answer{}, err) // the service may have accepted the task
		}
		ended <- n
	}()
	patience := time.NewTimer(schedule.LateCall)
	defer patience.Stop()
	for {
		select {
		case n := <-ended:
			s.intents.answered(intent, n.Reply)
			err := s.recorder.recordReply(life, n)
			if err == nil || superseded(err) {
				s.intents.record(intent)
			}
			return err
		case <-patience.C:
			if err := s.giveUpWaiting(life, t.ID); err != nil && !superseded(err) {
				s.Log.Error("cannot write down that an answer is late", "task", t.ID, "err", err)
				patience.Reset(settleFirst)
			}
		}
	}
}

// takeBack returns a task to the queue whose create call was not made, because it is
// not known whether the database recorded that it begins at sentAt: the connection may
// have been lost at the commit. Otherwise the key would be blocked until the lease ends,
// and its maker would be asked about a video that was never sent.
func (s *sender) takeBack(life context.Context, id int64, sentAt time.Time) {
	for pause := settleFirst; pause <= settleLongest && life.Err() == nil; pause *= 2 {
		ctx, cancel := context.WithTimeout(life, settlePatience)
		_, err := s.Store.Calls.SettleCall(ctx, id, func(t *db.Task) error {
			if t.State != db.Sending || !t.SentAt.Equal(sentAt) {
				return db.ErrConflict // it was not recorded
			}
			return t.PutBack("", sentAt)
		})
		cancel()
		if err == nil || superseded(err) {
			return
		}
		sleep(life, pause)
	}
}

// giveUpWaiting tells the task's maker that the outcome of its create call is unknown. Its
// answer is still awaited.
func (s *sender) giveUpWaiting(ctx context.Context, id int64) error {
	// Bound the write: the answer may arrive meanwhile and must not wait for it.
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	var before db.Task
	t, err := s.Store.Tasks.SettleTask(ctx, id, func(t *db.Task) error {
		before = *t
		return t.Lose(noReply, s.Store.Now())
	})
	if err == nil {
		s.logEnd(ctx, before, t)
	}
	return err
}

// note returns the outcome of the task's create call, with the raw answer.
func (s *sender) note(t db.Task, a videoapi.Answer, err error) aside.Note {
	return aside.Note{Reply: s.reply(t, a, err), Answers: rawAnswer(t.ID, "create", a, err)}
}

func (s *sender) reply(t db.Task, a videoapi.Answer, err error) db.Reply {
	now := s.Store.Now()
	r := db.Reply{TaskID: t.ID, SentAt: t.SentAt, At: now}
	if err == nil {
		r.State, r.Report, r.Next = db.Pending, report(a.Record, t), now.Add(s.paces.pause(t, now))
		return r
	}
	var e *videoapi.Error
	if !errors.As(err, &e) {
		e = &videoapi.Error{Kind: videoapi.Transport}
	}
	r.State, r.ErrorKind, r.Message = db.Rejected, errorKind(e.Kind), sentence(e)
	switch {
	case e.Kind == videoapi.Busy, e.Kind == videoapi.Transport && e.Unsent:
		r.State, r.Next = db.Queued, now.Add(s.backoff(t.Attempts, e.RetryAfter))
	case e.Kind == videoapi.Transport:
		r.State = db.Unconfirmed
	}
	return r
}

func (s *sender) reject(ctx context.Context, id int64, b db.ErrorKind, message string, cause error) error {
	if cause != nil && !errors.Is(cause, db.ErrNotFound) {
		return cause // the key exists but cannot be read now
	}
	var before db.Task
	t, err := s.Store.Tasks.UpdateTask(ctx, id, func(t *db.Task) error {
		before = *t
		return t.Reject(b, message, s.Store.Now())
	})
	if err == nil {
		s.logEnd(ctx, before, t)
	}
	return err
}

// longestReason limits the reason that is logged for a video that was not made, in
// characters: it is partly text of the service.
const longestReason = 200

// logEnd logs a task that has just ended without a video, or of which it is not known
// whether it was paid.
func (c *Config) logEnd(ctx context.Context, before, t db.Task) {
	lost := before.Keeping != db.Lost && t.Keeping == db.Lost
	if before.State == t.State && !lost {
		return
	}
	said, level := "", slog.LevelWarn
	switch {
	case lost:
		said = "a video is given up: its file cannot be had"
	case t.State == db.Unconfirmed:
		said = "a video is unconfirmed: it is not known whether it was paid"
	case t.State == db.Failed, t.State == db.Canceled:
		said, level = "a video failed at the service", slog.LevelInfo
	case t.State == db.Rejected:
		said, level = "a video was refused: nothing was paid", slog.LevelInfo
	default:
		return
	}
	c.Log.Log(ctx, level, said, "task", t.ID, "state", t.State, "user", t.UserID, "model", t.Model,
		"key", c.keyOf(ctx, t), "service id", t.RemoteID, "reason", shorten(t.Message))
}

// tellUnconfirmed logs tasks that have become unconfirmed.
func (c *Config) tellUnconfirmed(ctx context.Context, tasks []db.Task) {
	for _, t := range tasks {
		c.logEnd(ctx, db.Task{}, t)
	}
}

// keyOf returns words that identify the key with which the task was sent, without the key.
func (c *Config) keyOf(ctx context.Context, t db.Task) string {
	if t.KeyID == 0 {
		return "the person's own"
	}
	name, err := c.Store.Keys.TeamKeyName(ctx, t.KeyID)
	if err != nil {
		return "unknown"
	}
	return name
}

// shorten cuts text to longestReason.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= longestReason {
		return text
	}
	return string([]rune(text)[:longestReason-1]) + "…"
}
