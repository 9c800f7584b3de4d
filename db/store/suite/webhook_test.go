package suite_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store"
)

// hooked adds a person with a webhook.
func hooked(t *testing.T, s *store.Store, name string) db.User {
	t.Helper()
	u := addUser(t, s, name)
	must(t, s.Webhooks.PutWebhook(t.Context(), outbox.Webhook{UserID: u.ID, Address: "https://example.com/" + name, Origin: "https://d.example.com", Sealed: []byte("x"), CreatedAt: day}))
	return u
}

// step adds a task for the person and applies the steps to it.
func step(t *testing.T, s *store.Store, userID int64, steps ...func(*db.Task) error) db.Task {
	t.Helper()
	task := newTask(userID, "x")
	queue(t, s, &task)
	var err error
	for _, change := range steps {
		task, err = s.Tasks.UpdateTask(t.Context(), task.ID, change)
		must(t, err)
	}
	return task
}

func begin(t *db.Task) error { return t.Begin(day) }

func accepted(status string, results ...db.Result) func(*db.Task) error {
	return func(t *db.Task) error {
		answer := db.Report{RemoteID: "r", Status: status, Results: results}
		if err := t.Accept(answer, day, day.Add(time.Hour)); err != nil || t.State == db.Success {
			return err
		}
		return t.Report(answer, day, day.Add(time.Hour))
	}
}

func TestAWebhookIsKept(t *testing.T) {
	s := open(t)
	u := hooked(t, s, "Ann")
	h, err := s.Webhooks.Webhook(t.Context(), u.ID)
	must(t, err)
	same(t, h, outbox.Webhook{UserID: u.ID, Address: "https://example.com/Ann", Origin: "https://d.example.com", Sealed: []byte("x"), CreatedAt: day})
	step(t, s, u.ID, begin, accepted("failed"))
	must(t, s.Webhooks.DeleteWebhook(t.Context(), u.ID))
	if _, err := s.Webhooks.Webhook(t.Context(), u.ID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	if left, err := s.Webhooks.Deliveries(t.Context(), u.ID, 9); err != nil || len(left) > 0 {
		t.Errorf("notices wait for it: %v, %v", left, err)
	}
}

func TestEveryEndIsANoticeOnce(t *testing.T) {
	s := open(t)
	ann, ben := hooked(t, s, "Ann"), addUser(t, s, "Ben")
	step(t, s, ben.ID, begin, accepted("failed")) // has no webhook
	step(t, s, ann.ID, begin, accepted("pending"))
	step(t, s, ann.ID, begin, accepted("failed"))
	step(t, s, ann.ID, begin, accepted("canceled"))
	step(t, s, ann.ID, func(t *db.Task) error { return t.Reject(db.BlameKey, "no", day) }, func(t *db.Task) error { return t.Decide(day) })
	step(t, s, ann.ID, begin, func(t *db.Task) error { return t.Lose("lost", day) }, accepted("success"),
		func(t *db.Task) error { return t.LoseFiles("it has no address") })
	var states []db.State
	found, err := s.Webhooks.Deliveries(t.Context(), ann.ID, 99)
	must(t, err)
	names := map[string]bool{}
	for _, d := range found {
		states = append(states, d.State)
		names[d.Name] = len(d.Name) == 32
		if !d.CreatedAt.Equal(day) || !d.NextAt.Equal(day) {
			t.Errorf("%+v", d)
		}
	}
	same(t, states, []db.State{db.Success, db.Unconfirmed, db.Rejected, db.Canceled, db.Failed})
	if len(names) != 5 {
		t.Errorf("names are %v", names)
	}
	if other, _ := s.Webhooks.Deliveries(t.Context(), ben.ID, 99); len(other) > 0 {
		t.Errorf("Ben is told: %v", other)
	}
}

func TestANoticeOfAVideoWaitsForItsCopy(t *testing.T) {
	s := open(t)
	u := hooked(t, s, "Ann")
	task := step(t, s, u.ID, begin, accepted("success", db.Result{Kind: db.Video, URL: "https://example.com/v.mp4"}))
	found, err := s.Webhooks.Deliveries(t.Context(), u.ID, 1)
	must(t, err)
	if wait := found[0].NextAt.Sub(day); wait != 2*time.Minute {
		t.Errorf("it waits %s", wait)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Keep(nil, true) })
	must(t, err)
	found, err = s.Webhooks.Deliveries(t.Context(), u.ID, 1)
	must(t, err)
	if !found[0].NextAt.Equal(day) {
		t.Errorf("the copy is here, and it waits until %s", found[0].NextAt)
	}
}

func TestNoticesAreLeasedOnePerPerson(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, ben := hooked(t, s, "Ann"), hooked(t, s, "Ben")
	for range 3 {
		step(t, s, ann.ID, begin, accepted("failed"))
	}
	step(t, s, ben.ID, begin, accepted("failed"))
	claim := func(owner string, now time.Time) []outbox.Delivery {
		t.Helper()
		due, err := s.Webhooks.ClaimDeliveries(ctx, owner, now, now.Add(time.Minute), 10)
		must(t, err)
		return due
	}
	if early := claim("a", day.Add(-time.Second)); len(early) > 0 {
		t.Errorf("not due, but claimed: %v", early)
	}
	due := claim("a", day)
	if len(due) != 2 || due[0].UserID == due[1].UserID || due[0].ID+due[1].ID != 1+4 {
		t.Fatalf("claimed %+v", due)
	}
	if again := claim("b", day.Add(time.Second)); len(again) > 0 {
		t.Errorf("claimed twice: %v", again)
	}
	due[0].Deliver(200, "", day)
	if err := s.Webhooks.SettleDelivery(ctx, "b", due[0]); !errors.Is(err, db.ErrConflict) {
		t.Errorf("somebody else settled it: %v", err)
	}
	must(t, s.Webhooks.SettleDelivery(ctx, "a", due[0]))
	if next := claim("b", day.Add(time.Second)); len(next) > 1 {
		t.Errorf("claimed %+v", next)
	}
	if over := claim("c", day.Add(2*time.Minute)); len(over) != 2 {
		t.Errorf("leases that ran out leave %+v", over)
	}
}

func TestOldDeliveriesAreLetGo(t *testing.T) {
	s, ctx := open(t), t.Context()
	u := hooked(t, s, "Ann")
	for range 60 {
		_, err := s.Webhooks.AddTestDelivery(ctx, u.ID, day)
		must(t, err)
		due, err := s.Webhooks.ClaimDeliveries(ctx, "a", day, day.Add(time.Minute), 1)
		must(t, err)
		due[0].Deliver(200, "", day)
		must(t, s.Webhooks.SettleDelivery(ctx, "a", due[0]))
	}
	if kept, err := s.Webhooks.Deliveries(ctx, u.ID, 99); err != nil || len(kept) != 50 || kept[0].ID != 60 || kept[0].Outcome != outbox.Delivered {
		t.Errorf("%d are kept, %v", len(kept), err)
	}
}

func TestFewTestsWaitAtATime(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, bo := hooked(t, s, "Ann"), hooked(t, s, "Bo")
	var err error
	for n := 0; err == nil; n++ {
		if _, err = s.Webhooks.AddTestDelivery(ctx, ann.ID, day); n > 100 {
			t.Fatal("a hundred tests wait")
		}
	}
	wants(t, err, db.ErrFull)
	_, err = s.Webhooks.AddTestDelivery(ctx, bo.ID, day)
	must(t, err)
	must(t, s.Webhooks.DeleteWebhook(ctx, ann.ID))
	_, err = s.Webhooks.AddTestDelivery(ctx, ann.ID, day)
	must(t, err)
}
