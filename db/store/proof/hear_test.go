package proof_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
)

// listenTo starts listening, and returns what the store receives.
func listenTo(tb testing.TB, s *store.Store) <-chan string {
	tb.Helper()
	heard, ended := make(chan string, 100), make(chan error)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- s.Listen(ctx, store.Listener{
			Queued:   func() { heard <- "queued" },
			Answered: func(_ context.Context, id int64) { heard <- fmt.Sprint("answered ", id) },
			Deaf:     func(err error) { heard <- err.Error() },
		})
	}()
	tb.Cleanup(func() {
		stop()
		must(tb, <-ended)
	})
	hears(tb, heard, "queued") // for what was queued before
	return heard
}

// hears fails the test unless want is received next.
func hears(tb testing.TB, heard <-chan string, want string) {
	tb.Helper()
	select {
	case got := <-heard:
		if got != want {
			tb.Fatalf("heard %q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		tb.Fatalf("%q is not heard", want)
	}
}

// TestProcessIsNotifiedOfNewTasks queues tasks in one process, and another one
// claims and answers them. Neither polls the database for that: each is notified.
func TestProcessIsNotifiedOfNewTasks(t *testing.T) {
	address := newDatabase(t)
	one, other := open(t, address), open(t, address)
	user := db.User{Name: "Ann", Email: "ann@example.com", Role: db.Member, CreatedAt: db.Now()}
	must(t, sampletest.AddUser(t, one, &user))
	press := func() db.Task {
		return db.Task{
			UserID: user.ID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3"},
			CreatedAt: db.Now(),
		}
	}
	oneHears, otherHears := listenTo(t, one), listenTo(t, other)
	took := make([]time.Duration, 20)
	for i := range took {
		began := time.Now()
		added, err := one.AddTasks(t.Context(), []db.Task{press(), press()})
		must(t, err)
		hears(t, otherHears, "queued") // once for both
		took[i] = time.Since(began)
		for _, task := range added {
			answer(t, other, task.ID)
			hears(t, oneHears, fmt.Sprint("answered ", task.ID))
		}
	}
	slices.Sort(took)
	t.Logf("heard %v after it was to be written down (median)", took[len(took)/2])
	if len(oneHears)+len(otherHears) > 0 {
		t.Error("a process hears more than what others did")
	}
}

// answer begins the create call and applies the service's answer. Only the answer
// causes a notification.
func answer(tb testing.TB, s *store.Store, id int64) {
	tb.Helper()
	_, err := s.Tasks.SettleTask(tb.Context(), id, func(t *db.Task) error { return t.Begin(db.Now()) })
	must(tb, err)
	_, err = s.Tasks.SettleTask(tb.Context(), id, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: fmt.Sprint("r", id), Status: "pending"}, db.Now(), db.Now())
	})
	must(tb, err)
}
