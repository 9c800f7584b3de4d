package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
)

// NewTask returns a task that is not stored yet.
func NewTask(userID int64, prompt string) db.Task {
	return db.Task{
		UserID: userID, FormToken: secrets.NewToken(), CreatedAt: Day,
		Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: prompt},
	}
}

// AddTask adds a task with the prompt.
func AddTask(tb testing.TB, s *store.Store, userID int64, prompt string) db.Task {
	tb.Helper()
	t := NewTask(userID, prompt)
	Queue(tb, s, &t)
	return t
}

// Queue adds the task, and sets t to what was added.
func Queue(tb testing.TB, s *store.Store, t *db.Task) {
	tb.Helper()
	added, err := s.AddTasks(tb.Context(), []db.Task{*t})
	must(tb, err)
	*t = added[0]
}

// AddTaskWith adds a task for the person and applies the steps to it.
func AddTaskWith(t *testing.T, s *store.Store, userID int64, steps ...func(*db.Task) error) db.Task {
	t.Helper()
	task := NewTask(userID, "x")
	Queue(t, s, &task)
	var err error
	for _, change := range steps {
		task, err = s.Tasks.UpdateTask(t.Context(), task.ID, change)
		must(t, err)
	}
	return task
}

// Begin is a step that begins a task's create call.
func Begin(t *db.Task) error { return t.Begin(Day) }

// Accepted returns a step in which the service accepts the task and then reports this about it.
func Accepted(status string, results ...db.Result) func(*db.Task) error {
	return func(t *db.Task) error {
		answer := db.Report{RemoteID: "r", Status: status, Results: results}
		if err := t.Accept(answer, Day, Day.Add(time.Hour)); err != nil || t.State == db.Success {
			return err
		}
		return t.Report(answer, Day, Day.Add(time.Hour))
	}
}

// Bring takes a new task to the state, by the rules of package db.
func Bring(tb testing.TB, s *store.Store, id int64, to db.State, at time.Time) db.Task {
	tb.Helper()
	if to == db.Sending {
		return Send(tb, s, id, at)
	}
	task, err := s.Calls.SettleCall(tb.Context(), id, func(t *db.Task) error {
		report := db.Report{RemoteID: fmt.Sprint("remote ", id), Status: string(to), Charged: db.CreditsOf(30)}
		switch to {
		case db.Queued:
			return nil
		case db.Rejected:
			return t.Reject(db.CreditsError, "no credits", at)
		case db.Unconfirmed:
			return errors.Join(t.Begin(at), t.Lose("lost", at))
		case db.Success:
			report.Results = []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}
		}
		if err := errors.Join(t.Begin(at), t.Accept(db.Report{RemoteID: report.RemoteID, Status: "pending"}, at, at)); err != nil {
			return err
		}
		return t.Report(report, at, at)
	})
	must(tb, err)
	if task.State != to {
		tb.Fatalf("task %d is %s, want %s", id, task.State, to)
	}
	return task
}

// Send begins the task's create call with its maker's key.
func Send(tb testing.TB, s *store.Store, id int64, at time.Time) db.Task {
	tb.Helper()
	task, err := s.Tasks.Task(tb.Context(), id)
	must(tb, err)
	key, err := s.Keys.Key(tb.Context(), task.UserID)
	if errors.Is(err, db.ErrNotFound) {
		key, err = secrets.Key{Sealed: []byte("x")}, nil
	}
	must(tb, err)
	task, err = s.Calls.SendTask(tb.Context(), "me", id, key, at)
	must(tb, err)
	return task
}

// FinishTask adds a finished task with the options, which took this long and cost this
// much.
func FinishTask(t *testing.T, s *store.Store, userID int64, o db.Options, took time.Duration, charged db.Credits, done time.Time) {
	t.Helper()
	task := NewTask(userID, "x")
	task.Options = o
	Queue(t, s, &task)
	_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		return errors.Join(t.Begin(done.Add(-took)), t.Accept(db.Report{}, done.Add(-took), done),
			t.Report(db.Report{Status: "success", Charged: charged}, done, done))
	})
	must(t, err)
}

// Spend adds a video of the person's with this expected cost.
func Spend(t *testing.T, s *store.Store, u db.User, credits float64) error {
	t.Helper()
	_, err := s.AddTasks(t.Context(), []db.Task{{
		UserID: u.ID, FormToken: secrets.NewToken(), CreatedAt: Day,
		Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
		Quoted:  db.CreditsOf(credits), Reserved: credits,
	}})
	return err
}

// IDs returns the IDs of the tasks, in their order.
func IDs(tasks []db.Task) (ids []int64) {
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// Lease is how long Claim leases tasks.
const Lease = time.Minute

// Roomy is the capacity of a worker pool that has nothing to do.
var Roomy = schedule.Capacity{Send: 9, Query: 9, Keep: 9}

// Claim leases tasks that are due to the owner, up to this many of each kind.
func Claim(t *testing.T, s *store.Store, owner string, now time.Time, limit int) []db.Task {
	t.Helper()
	tasks, err := s.Leases.Claim(t.Context(), owner, now, now.Add(Lease), schedule.Capacity{Send: limit, Query: limit, Keep: limit})
	must(t, err)
	return tasks
}

// Claimed claims all tasks that are due, and fails the test unless they are the wanted ones.
func Claimed(t *testing.T, s *store.Store, now time.Time, want ...int64) {
	t.Helper()
	Same(t, IDs(Claim(t, s, "me", now, 100)), want)
}

// NewRecipe returns a recipe with one column, for a product.
func NewRecipe(userID int64, name string) ordering.Recipe {
	seed := int64(7)
	return ordering.Recipe{
		Name: name, Note: "for the shop", Request: db.Request{Scene: "image-to-video", Model: "veo3", Prompt: "{{product}} turns",
			Provider: "p", Pictures: []string{"{{start}}"}, Options: db.Options{Duration: 8, Seed: &seed}},
		Ceiling: db.CreditsOf(40), CreatedBy: userID, CreatedAt: Day, ChangedAt: Day,
	}
}

// NewCastMember returns a person of the cast.
func NewCastMember(by int64, handle string) cast.Member {
	return cast.Member{
		Handle: handle, Name: strings.ToUpper(handle), Kind: cast.Person, Look: "an ochre raincoat",
		Pictures: []string{"https://example.com/a.png"},
		Consent:  cast.Consent{By: "Anna Lindqvist", On: time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC)}, CreatedBy: by, CreatedAt: Day,
	}
}

// AddCastMember adds a person of the cast.
func AddCastMember(t *testing.T, s *store.Store, by int64, handle string) cast.Member {
	t.Helper()
	m := NewCastMember(by, handle)
	must(t, s.Cast.Create(t.Context(), &m, nil))
	return m
}

// AddGuest adds a guest of the link.
func AddGuest(t *testing.T, s *store.Store, shareID int64, name string) review.Guest {
	t.Helper()
	g := review.Guest{ShareID: shareID, Token: secrets.NewToken(), Name: name, CreatedAt: Day}
	must(t, s.Guests.AddGuest(t.Context(), &g))
	return g
}

// AddNote adds a note to the video.
func AddNote(t *testing.T, s *store.Store, n review.Note, mentioned ...int64) review.Note {
	t.Helper()
	n.CreatedAt = Day
	if n.Body == "" {
		n.Body = "Larger, please."
	}
	must(t, s.Notes.AddNote(t.Context(), &n, mentioned))
	return n
}
