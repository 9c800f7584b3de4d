package watch_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// The user gave the video another ID of the service while its answer was still
// awaited. Both may have been charged, so both are shown.
func TestLateAnswerIsAddedBesideADecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.faults[create] = []fault{func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}}
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(3 * time.Minute)
		first, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		_, err = b.store.Calls.FollowTask(t.Context(), id, "another", secrets.Key{Sealed: []byte("x")}, func(t *db.Task) error { return t.Follow("another", db.Now()) })
		must(t, err)
		time.Sleep(10 * time.Minute)
		decided, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		added, err := b.store.Tasks.Task(t.Context(), id+1)
		must(t, err)
		if decided.RemoteID != "another" || added.RemoteID == "" || added.Keeping != db.Kept ||
			added.Prompt != first.Prompt || added.UserID != first.UserID || !added.Charged.Known {
			t.Errorf("decided %+v, added %+v", decided, added)
		}
		if n := b.line.count(create); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
}

func TestLateAnswerIsUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		late fault
		want db.State
	}{
		"it was taken": {func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}, db.Success},
		"it was refused": {func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return says(200, `{"code":-1,"message":"invalid params"}`)(r, through)
		}, db.Rejected},
		"nothing comes at all": {func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, db.Unconfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.line.faults[create] = []fault{tt.late}
				stop := b.start(t)
				defer stop()
				id, other := b.add(t, "a boat"), b.add(t, "another boat")
				time.Sleep(3 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Unconfirmed {
					t.Errorf("after three minutes it is %s", task.State)
				}
				// Two creates with the same key are never in progress at the same
				// time.
				if task, _ := b.store.Tasks.Task(t.Context(), other); task.State != db.Queued {
					t.Errorf("while the call hangs, the next one is %s", task.State)
				}
				time.Sleep(8 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), other); task.Keeping != db.Kept {
					t.Errorf("when the call has ended, the next one is %s", task.State)
				}
				if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != tt.want {
					t.Errorf("in the end it is %s, want %s", task.State, tt.want)
				}
				if n := b.line.count(create); n != 2 {
					t.Errorf("%d creates", n)
				}
			})
		})
	}
}

// The database takes no write at the moment at which a create call has gone unanswered
// for too long. Its maker is told a little later.
func TestALateAnswerIsReportedOnceTheDatabaseTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.faults[create] = []fault{func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}}
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(time.Minute)
		heal := b.refuse(t, `new.state = 'unconfirmed'`)
		time.Sleep(90 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Sending {
			t.Errorf("while nothing can be written, it is %s", task.State)
		}
		heal()
		time.Sleep(30 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Unconfirmed {
			t.Errorf("then it is %s", task.State)
		}
	})
}
