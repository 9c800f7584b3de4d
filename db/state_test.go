package db_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"dailies/db"
)

var (
	noon  = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Minute)
	paid  = db.CreditsOf(30)
	clip  = db.Result{Kind: db.Video, URL: "https://example.com/v.mp4"}
)

func report(status string) func(*db.Task) error {
	return func(t *db.Task) error {
		return t.Report(db.Report{Status: status, Charged: paid, Results: []db.Result{clip}}, noon, later)
	}
}

func accept(status string) func(*db.Task) error {
	return func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "r1", Status: status, Charged: paid, Results: []db.Result{clip}}, noon, later)
	}
}

// Every step is tried from every state. It leads where the table says; from any
// other state it returns a conflict and changes nothing.
func TestEveryTransition(t *testing.T) {
	stay := db.State("the same")
	running := []db.State{db.Pending, db.Processing}
	for _, step := range []struct {
		name string
		do   func(*db.Task) error
		from []db.State
		to   db.State
	}{
		{"begin", func(t *db.Task) error { return t.Begin(noon) }, []db.State{db.Queued}, db.Sending},
		{"accept pending", accept("pending"), []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"accept processing", accept("processing"), []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"accept success with a video", accept("success"), []db.State{db.Sending, db.Unconfirmed}, db.Success},
		{"accept success without one", func(t *db.Task) error {
			return t.Accept(db.Report{RemoteID: "r1", Status: "success"}, noon, later)
		}, []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"accept failed", accept("failed"), []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"accept canceled", accept("canceled"), []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"accept an unknown word", accept("dreaming"), []db.State{db.Sending, db.Unconfirmed}, db.Pending},
		{"follow", func(t *db.Task) error { return t.Follow("r1", noon) }, []db.State{db.Unconfirmed}, db.Pending},
		{
			"reject", func(t *db.Task) error { return t.Reject(db.KeyError, "no", noon) },
			[]db.State{db.Queued, db.Sending, db.Unconfirmed}, db.Rejected,
		},
		{"put back", func(t *db.Task) error { return t.PutBack("busy", later) }, []db.State{db.Sending}, db.Queued},
		{"lose", func(t *db.Task) error { return t.Lose("lost", noon) }, []db.State{db.Sending}, db.Unconfirmed},
		{"decide", func(t *db.Task) error { return t.Decide(noon) }, []db.State{db.Unconfirmed, db.Rejected, db.Failed, db.Canceled}, stay},
		{"report pending", report("pending"), running, stay},
		{"report processing", report("processing"), running, db.Processing},
		{"report an unknown word", report("dreaming"), running, db.Processing},
		{"report no word", report(""), running, db.Processing},
		{"report success", report("success"), running, db.Success},
		{"report failed", report("failed"), running, db.Failed},
		{"report canceled", report("canceled"), running, db.Canceled},
		{"retry", func(t *db.Task) error { return t.Retry(db.ServiceError, "down", later) },
			[]db.State{db.Queued, db.Sending, db.Pending, db.Processing}, stay},
		{"keep", func(t *db.Task) error { return t.Keep(nil, true) }, nil, stay},
		{"lose files", func(t *db.Task) error { return t.LoseFiles("gone") }, nil, stay},
	} {
		for _, from := range db.States() {
			task := db.Task{ID: 7, State: from}
			err := step.do(&task)
			want := step.to
			if want == stay {
				want = from
			}
			switch allowed := slices.Contains(step.from, from); {
			case allowed && err != nil:
				t.Errorf("%s from %s: %v", step.name, from, err)
			case allowed && task.State != want:
				t.Errorf("%s from %s leads to %s, want %s", step.name, from, task.State, want)
			case !allowed && !errors.Is(err, db.ErrConflict):
				t.Errorf("%s from %s: error %v, want a conflict", step.name, from, err)
			case !allowed && task.State != from:
				t.Errorf("%s from %s: a conflict, but now it is %s", step.name, from, task.State)
			}
		}
	}
}

func TestRunningStatesAreThoseThatMoveOn(t *testing.T) {
	want := []db.State{db.Queued, db.Sending, db.Pending, db.Processing}
	for _, s := range db.States() {
		if s.Running() != slices.Contains(want, s) {
			t.Errorf("%s: running is %t", s, s.Running())
		}
	}
}

// Only tasks that wait for the watcher have a time for it in NextAt.
func TestOnlyWaitingTasksHaveANextTime(t *testing.T) {
	for name, step := range map[string]struct {
		from db.State
		do   func(*db.Task) error
		next time.Time
	}{
		"sending":               {db.Queued, func(t *db.Task) error { return t.Begin(noon) }, time.Time{}},
		"accepted":              {db.Sending, accept("pending"), later},
		"put back":              {db.Sending, func(t *db.Task) error { return t.PutBack("busy", later) }, later},
		"lost":                  {db.Sending, func(t *db.Task) error { return t.Lose("lost", noon) }, time.Time{}},
		"rejected":              {db.Queued, func(t *db.Task) error { return t.Reject(db.KeyError, "no", noon) }, time.Time{}},
		"processing":            {db.Pending, report("processing"), later},
		"failed":                {db.Pending, report("failed"), time.Time{}},
		"canceled":              {db.Pending, report("canceled"), time.Time{}},
		"success with a video":  {db.Pending, report("success"), noon},
		"success without video": {db.Pending, func(t *db.Task) error { return t.Report(db.Report{Status: "success"}, noon, later) }, later},
	} {
		task := db.Task{State: step.from, NextAt: noon.Add(-time.Hour)}
		if err := step.do(&task); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !task.NextAt.Equal(step.next) {
			t.Errorf("%s: taken up at %v, want %v", name, task.NextAt, step.next)
		}
	}
}

func TestFailureBringsTheCreditsBack(t *testing.T) {
	task := db.Task{State: db.Pending, Charged: paid}
	must(t, task.Report(db.Report{Status: "failed", Reason: "too dark"}, noon, later))
	if task.Returned != paid || !task.ReturnedAt.Equal(noon) || task.Message != "too dark" || task.ErrorKind != db.RequestError {
		t.Errorf("returned %v at %v, %q", task.Returned, task.ReturnedAt, task.Message)
	}
}

// Only a query returns credits. What the answer to the create call says about a
// failure is not enough.
func TestAnswerToTheCreateReturnsNoCredits(t *testing.T) {
	for _, status := range []string{"failed", "canceled"} {
		task := db.Task{State: db.Sending}
		must(t, accept(status)(&task))
		if task.State != db.Pending || task.Returned.Known || task.Charged != paid || !task.NextAt.Equal(later) || !task.DoneAt.IsZero() {
			t.Errorf("%s: %+v", status, task)
		}
		must(t, report("failed")(&task))
		if task.State != db.Failed || task.Returned != paid {
			t.Errorf("%s: after a query %s, returned %v", status, task.State, task.Returned)
		}
	}
}

func TestFollowedTaskIsQueriedAtOnce(t *testing.T) {
	task := db.Task{
		State: db.Unconfirmed, DoneAt: noon, DecidedAt: noon, DeletedAt: noon, DeletedBy: 1, ErrorKind: db.ServiceError,
		Message: "lost",
	}
	must(t, task.Follow("r7", later))
	if task.RemoteID != "r7" || !task.NextAt.Equal(later) || !task.AcceptedAt.Equal(later) || !task.DoneAt.IsZero() ||
		!task.DeletedAt.IsZero() || task.Message != "" {
		t.Errorf("%+v", task)
	}
	gone := db.Task{State: db.Unconfirmed, DecidedAt: noon, DeletedAt: noon, PurgedAt: later}
	if err := gone.Follow("r7", later); !errors.Is(err, db.ErrConflict) || gone.RemoteID != "" {
		t.Errorf("%v, %+v", err, gone)
	}
}

// An answer that arrives after the task was purged is recorded, but the task stays
// in the bin.
func TestLateAnswerDoesNotRestoreAPurgedTask(t *testing.T) {
	gone := db.Task{State: db.Unconfirmed, DecidedAt: noon, DeletedAt: noon, DeletedBy: 1, PurgedAt: later}
	must(t, gone.Accept(db.Report{RemoteID: "r7", Status: "pending"}, later, later))
	if gone.State != db.Pending || !gone.DeletedAt.Equal(noon) || gone.DeletedBy != 1 {
		t.Errorf("%+v", gone)
	}
}

func TestPutBackCountsAFailedAttempt(t *testing.T) {
	task := db.Task{State: db.Sending, SentAt: noon, Attempts: 2}
	must(t, task.PutBack("busy", later))
	if task.Attempts != 3 || task.ErrorKind != db.ServiceError || task.Message != "busy" || !task.SentAt.IsZero() {
		t.Errorf("%+v", task)
	}
}

func TestATaskIsNotDeletedBeforeItIsDone(t *testing.T) {
	for name, task := range map[string]db.Task{
		"queued": {State: db.Queued}, "sending": {State: db.Sending}, "pending": {State: db.Pending}, "processing": {State: db.Processing},
		"being saved": {State: db.Success, Files: db.Files{Keeping: db.Saving}}, "undecided": {State: db.Unconfirmed},
	} {
		if err := task.Delete(1, noon); !errors.Is(err, db.ErrConflict) || !task.DeletedAt.IsZero() {
			t.Errorf("%s: %v, %+v", name, err, task)
		}
	}
	for name, task := range map[string]db.Task{
		"kept": {State: db.Success, Files: db.Files{Keeping: db.Kept}}, "lost": {State: db.Success, Files: db.Files{Keeping: db.Lost}},
		"failed":  {State: db.Failed},
		"decided": {State: db.Unconfirmed, DecidedAt: noon},
	} {
		if err := task.Delete(1, noon); err != nil || !task.DeletedAt.Equal(noon) || task.DeletedBy != 1 {
			t.Errorf("%s: %v, %+v", name, err, task)
		}
	}
}

func TestCancelingReturnsNoCredits(t *testing.T) {
	task := db.Task{State: db.Pending, Charged: paid}
	must(t, task.Report(db.Report{Status: "canceled"}, noon, later))
	if task.Returned.Known || !task.ReturnedAt.IsZero() {
		t.Errorf("returned %v at %v", task.Returned, task.ReturnedAt)
	}
}

func TestReportKeepsWhatIsKnown(t *testing.T) {
	task := db.Task{State: db.Processing, Charged: paid, UpstreamID: "u1", Progress: 0.6}
	must(t, task.Report(db.Report{Status: "processing", Progress: 0.4}, noon, later))
	if task.Charged != paid || task.UpstreamID != "u1" || task.Progress != 0.6 {
		t.Errorf("charged %v, upstream %q, progress %v", task.Charged, task.UpstreamID, task.Progress)
	}
}

func TestAnswerResetsTheAttempts(t *testing.T) {
	task := db.Task{State: db.Pending}
	must(t, task.Retry(db.ServiceError, "down", later))
	must(t, task.Retry(db.ServiceError, "down", later))
	if task.Attempts != 2 || task.Message != "down" {
		t.Errorf("attempts %d, %q", task.Attempts, task.Message)
	}
	must(t, report("processing")(&task))
	if task.Attempts != 0 || task.Message != "" || task.ErrorKind != db.NoError || task.Queries != 1 {
		t.Errorf("attempts %d, %q, blame %q, asked %d", task.Attempts, task.Message, task.ErrorKind, task.Queries)
	}
}

func TestVideoIsKeptPieceByPiece(t *testing.T) {
	task := db.Task{State: db.Pending}
	must(t, report("success")(&task))
	if task.Keeping != db.Saving || task.Progress != 1 {
		t.Fatalf("keeping %q, progress %v", task.Keeping, task.Progress)
	}
	must(t, task.Retry(db.ServiceError, "link is down", later))
	must(t, task.Keep([]db.Media{{Kind: db.Video}}, false))
	if task.Keeping != db.Saving || !task.NextAt.Equal(later) {
		t.Fatalf("after the first file: keeping %q, next %v", task.Keeping, task.NextAt)
	}
	must(t, task.Keep([]db.Media{{Kind: db.Cover}}, true))
	if task.Keeping != db.Kept || !task.NextAt.IsZero() || task.Message != "" || len(task.Media) != 2 {
		t.Fatalf("after the last file: keeping %q, next %v, message %q", task.Keeping, task.NextAt, task.Message)
	}
	if err := task.Keep(nil, true); !errors.Is(err, db.ErrConflict) {
		t.Errorf("kept twice: %v", err)
	}
}

func TestFilesThatAreGoneAreGivenUp(t *testing.T) {
	task := db.Task{State: db.Pending}
	must(t, report("success")(&task))
	must(t, task.LoseFiles("gone"))
	if task.State != db.Success || task.Keeping != db.Lost || !task.NextAt.IsZero() || task.Message != "gone" {
		t.Errorf("%s, keeping %q, next %v, %q", task.State, task.Keeping, task.NextAt, task.Message)
	}
	if err := task.LoseFiles("again"); !errors.Is(err, db.ErrConflict) {
		t.Errorf("given up twice: %v", err)
	}
}

func TestDecisionKeepsItsFirstTime(t *testing.T) {
	task := db.Task{State: db.Unconfirmed}
	must(t, task.Decide(noon))
	must(t, task.Decide(later))
	if !task.DecidedAt.Equal(noon) {
		t.Errorf("decided at %v", task.DecidedAt)
	}
}

func TestLateAnswerRevivesAnUnconfirmedTask(t *testing.T) {
	task := db.Task{State: db.Sending}
	must(t, task.Lose("lost", noon))
	must(t, accept("pending")(&task))
	if task.State != db.Pending || !task.DoneAt.IsZero() || task.Message != "" || task.RemoteID != "r1" {
		t.Errorf("%s, done at %v, %q, remote %q", task.State, task.DoneAt, task.Message, task.RemoteID)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAReplyAnswersOneCallOfOneTask(t *testing.T) {
	for _, state := range db.States() {
		awaited := state == db.Sending || state == db.Unconfirmed
		task := db.Task{ID: 7, State: state, SentAt: noon}
		for _, tt := range []struct {
			id   int64
			sent time.Time
			want bool
		}{{7, noon, awaited}, {7, noon.In(time.Local), awaited}, {7, later, false}, {8, noon, false}} {
			if got := (db.Reply{TaskID: tt.id, SentAt: tt.sent}).AnswersTo(task); got != tt.want {
				t.Errorf("%s: a reply to task %d, sent at %v: got %v", state, tt.id, tt.sent, got)
			}
		}
	}
}

// A late reply that tells nothing new, because the service is busy or its answer is
// lost, leaves a task unconfirmed about which its maker may have been told already.
func TestALateReplyThatTellsNothingChangesNothing(t *testing.T) {
	for _, state := range []db.State{db.Queued, db.Unconfirmed} {
		task := db.Task{ID: 7, State: db.Unconfirmed, SentAt: noon, DoneAt: noon, Message: "no answer"}
		err := db.Reply{TaskID: 7, SentAt: noon, At: later, State: state, Message: "busy", Next: later}.Apply(&task)
		if err != nil || task.State != db.Unconfirmed || !task.DoneAt.Equal(noon) || task.Message != "no answer" || task.Attempts != 0 {
			t.Errorf("%s: %v, %+v", state, err, task)
		}
	}
}

func TestAFilteredVideoIsAskedAboutOnceMoreAndKeepsItsCharge(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	filtered := db.Report{Status: "success", Charged: db.CreditsOf(30), Filtered: true, Reason: "It was filtered."}
	link := db.Report{Status: "success", Results: []db.Result{{Kind: db.Video, URL: "https://example.com/a.mp4"}}}
	begin := func() db.Task { return db.Task{State: db.Processing, Charged: db.CreditsOf(30)} }

	task := begin()
	if err := task.Report(filtered, now, now.Add(time.Second)); err != nil || task.State != db.Processing || task.NextAt.IsZero() {
		t.Fatalf("after the first answer it is %s, %v", task.State, err)
	}
	again := task
	if err := task.Report(filtered, now, now); err != nil || task.State != db.Failed || !task.Filtered() || !task.NextAt.IsZero() {
		t.Errorf("after the second it is %s, %v", task.State, err)
	}
	if task.Message != "It was filtered." || task.Returned.Known || task.RefundMissing() || task.Paid() != db.CreditsOf(30) {
		t.Errorf("it says %q, with %v returned, and %v paid", task.Message, task.Returned, task.Paid())
	}
	if err := again.Report(link, now, now); err != nil || again.State != db.Success || again.Keeping != db.Saving || again.Message != "" {
		t.Errorf("a link that comes late is not taken: %s, %v", again.State, err)
	}

	// A filter may be named only after the end of the video was, and a query may fail.
	task = begin()
	for i, step := range []func() error{
		func() error { return task.Report(db.Report{Status: "success"}, now, now) },
		func() error { return task.ReportAgain(filtered, now, now) },
		func() error { return task.RetryAddress(db.ServiceError, "No answer.", now, now) },
		func() error { return task.ReportAgain(filtered, now, now) },
	} {
		if err := step(); err != nil {
			t.Fatal(i, err)
		}
		if ended := task.State == db.Failed; ended != (i == 3) {
			t.Errorf("step %d: it is %s", i, task.State)
		}
	}
	if !task.Filtered() || task.Keeping != db.NothingToKeep || task.Returned.Known {
		t.Errorf("it ended as %s with %v", task.State, task.Returned)
	}

	// A service that takes back the charge has returned it.
	task = begin()
	filtered.Charged = db.CreditsOf(0)
	_, _ = task.Report(filtered, now, now), task.Report(filtered, now, now)
	if task.Paid() != db.CreditsOf(0) {
		t.Errorf("paid %v", task.Paid())
	}
}
