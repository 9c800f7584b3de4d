package watch

import (
	"context"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/aside"
	"dailies/db/secrets"
)

const (
	// sweepEvery is the interval at which intents are removed that are no longer needed.
	sweepEvery = 30 * time.Second

	// sweepAt is the number of such intents at which they are removed earlier.
	sweepAt = 400
)

// intents stores, beside the database file, which create calls have begun, in case the
// storage loses the end of the write-ahead log. A database on a server needs none.
type intents struct {
	*Config
	stored   *aside.Intents // nil until recall
	mu       sync.Mutex
	recorded []*aside.Intent // whose outcome is in the database, though perhaps only in its log
	swept    time.Time       // when sweep last had something to do
}

// isOn reports whether create calls need intents.
func (s *intents) isOn() bool { return s.stored != nil && !s.Store.IsShared() }

// intend stores that a create call for the task with the key is to begin. It returns nil
// if the intent could not be stored.
func (s *intents) intend(t db.Task, key secrets.Key, sentAt time.Time) *aside.Intent {
	if !s.isOn() {
		return nil
	}
	t.KeyID = key.TeamKeyID
	in := &aside.Intent{Task: t, SentAt: sentAt}
	if err := s.stored.Put(in); err != nil {
		s.Log.Warn("cannot note that a video is being sent; the database alone knows it", "task", t.ID, "err", err)
		return nil
	}
	return in
}

// begin records that the call of the intent, which may be nil, begins.
func (s *intents) begin(in *aside.Intent) {
	if in == nil {
		return
	}
	if err := in.Begin(); err != nil {
		s.Log.Warn("cannot note that a video is being sent; the database alone knows it", "task", in.Task.ID, "err", err)
	}
}

// answered adds the outcome of the call to the intent, or removes the intent of a call
// that has cost nothing and may be repeated. in may be nil.
func (s *intents) answered(in *aside.Intent, r db.Reply) {
	switch {
	case in == nil:
	case r.State == db.Queued || r.State == db.Rejected:
		s.drop(in)
	case r.State == db.Pending:
		if err := in.Answer(r); err != nil {
			s.Log.Warn("cannot note what the service answered; the database alone knows it", "task", in.Task.ID, "err", err)
		}
	}
}

// drop removes the intent, which may be nil.
func (s *intents) drop(in *aside.Intent) {
	if in == nil {
		return
	}
	if err := s.stored.Drop(in); err != nil {
		s.Log.Warn("an intent that is no longer needed cannot be removed", "task", in.Task.ID, "err", err)
	}
}

// record says that the outcome of the intent's call is in the database. in may be nil.
func (s *intents) record(in *aside.Intent) {
	if in == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recorded) == 0 {
		s.swept = time.Now()
	}
	s.recorded = append(s.recorded, in)
}

// sweep removes the intents whose outcome is in the database file itself, from time to
// time.
func (s *intents) sweep(ctx context.Context) {
	s.mu.Lock()
	done := s.recorded
	if len(done) == 0 || len(done) < sweepAt && time.Since(s.swept) < sweepEvery {
		s.mu.Unlock()
		return
	}
	s.recorded, s.swept = nil, time.Now()
	s.mu.Unlock()
	whole, err := s.Store.Checkpoint(ctx)
	for _, in := range done {
		if err == nil && whole {
			s.drop(in)
		} else {
			s.record(in) // for the next time
		}
	}
}

// recall makes up for what the storage has lost, before anything is sent: no video whose
// create call had begun is sent a second time.
func (s *intents) recall(ctx context.Context) {
	if s.Aside == "" {
		return
	}
	stored, found, err := aside.OpenIntents(s.Aside)
	s.stored = stored
	if err != nil {
		s.Log.Error("it cannot be read which videos were being sent; the file is left where it is", "folder", s.Aside, "err", err)
	}
	for _, in := range found {
		if in.MayHaveBegun() {
			s.recallOne(ctx, in)
		} else {
			s.drop(in)
		}
	}
}

// recallOne makes up for what the storage has lost about one call. If a video or recipe
// that the task refers to is lost too, the task is added without it.
func (s *intents) recallOne(ctx context.Context, in *aside.Intent) {
	for {
		t, lost, err := s.Store.Calls.RecallTask(ctx, in.Task, in.SentAt, in.Reply)
		switch {
		case err == nil && lost:
			s.Log.Error("the storage has lost that a video was sent; it is not sent again", "task", t.ID, "state", t.State)
			s.logEnd(ctx, db.Task{}, t)
			fallthrough
		case err == nil:
			s.record(in)
			return
		case full(err) && s.OnFull != nil && s.OnFull():
		case in.Task.ParentID != 0 || in.Task.RecipeID != 0:
			in.Task.ParentID, in.Task.RecipeID = 0, 0
		default:
			s.Log.Error("the storage may have lost that a video was sent, and that cannot be recorded", "task", in.Task.ID, "err", err)
			return
		}
	}
}

// close closes the files of intents. Those that are stored are read at the next start.
func (s *intents) close() {
	if s.stored != nil {
		s.stored.Close()
	}
}
