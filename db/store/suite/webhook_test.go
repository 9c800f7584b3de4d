package suite_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/spending"
	"dailies/db/store"
)

// addHook adds a webhook of the user, or of the team if there is none, that is told of the
// events. By is the person who adds it.
func addHook(t *testing.T, s *store.Store, userID, by int64, events ...outbox.Event) outbox.Webhook {
	t.Helper()
	h := outbox.Webhook{UserID: userID, Address: "https://example.com/secret", Origin: "https://d.example.com", Events: events, Standard: true, CreatedAt: day}
	must(t, s.Webhooks.Add(t.Context(), &h, []byte("x"), by))
	return h
}

// hooked adds a person with a webhook that is told of everything.
func hooked(t *testing.T, s *store.Store, name string) (db.User, outbox.Webhook) {
	t.Helper()
	u := addUser(t, s, name)
	return u, addHook(t, s, u.ID, u.ID, outbox.Events()...)
}

// told returns the events that wait for the webhook, the oldest first.
func told(t *testing.T, s *store.Store, h outbox.Webhook) (events []outbox.Event) {
	t.Helper()
	all, err := s.Webhooks.Deliveries(t.Context(), h.ID, 99)
	must(t, err)
	for _, d := range slices.Backward(all) {
		events = append(events, d.Event)
	}
	return events
}

// attempt claims the oldest delivery that is due and settles it.
func attempt(t *testing.T, s *store.Store, a outbox.Attempt) (outbox.Webhook, bool) {
	t.Helper()
	due, err := s.Webhooks.ClaimDeliveries(t.Context(), "a", a.At, a.At.Add(time.Minute), 1)
	must(t, err)
	if len(due) != 1 {
		t.Fatalf("%d deliveries are due", len(due))
	}
	h, paused, err := s.Webhooks.SettleDelivery(t.Context(), "a", due[0], a)
	must(t, err)
	return h, paused
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

func TestAWebhookIsKeptChangedAndDeleted(t *testing.T) {
	s, ctx := open(t), t.Context()
	u, h := hooked(t, s, "Ann")
	ben := addUser(t, s, "Ben")
	got, err := s.Webhooks.Webhook(ctx, h.ID)
	must(t, err)
	same(t, got, h)
	h.Address, h.Events = "https://example.org/", []outbox.Event{outbox.VideoFailed}
	wants(t, s.Webhooks.Change(ctx, h, ben.ID), db.ErrNotFound)
	must(t, s.Webhooks.Change(ctx, h, u.ID))
	step(t, s, u.ID, begin, accepted("failed"))
	list, err := s.Webhooks.Of(ctx, u.ID)
	must(t, err)
	h.Waiting = 1
	same(t, list, []outbox.Webhook{h})
	wants(t, s.Webhooks.Delete(ctx, h.ID, ben.ID), db.ErrNotFound)
	must(t, s.Webhooks.Delete(ctx, h.ID, u.ID))
	_, err = s.Webhooks.Webhook(ctx, h.ID)
	wants(t, err, db.ErrNotFound)
	if left, err := s.Webhooks.Deliveries(ctx, h.ID, 9); err != nil || len(left) > 0 {
		t.Errorf("deliveries are left: %v, %v", left, err)
	}
	if left, err := s.Webhooks.Secrets(ctx, h.ID, day); err != nil || len(left) > 0 {
		t.Errorf("secrets are left: %v, %v", left, err)
	}
	for _, e := range entriesOf(t, s) {
		if strings.Contains(e.Before+e.After, "secret") {
			t.Errorf("the audit has the whole address: %+v", e)
		}
	}
}

func TestAPersonAndTheTeamHaveFiveWebhooksEach(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, ben := withRole(t, s, "ann", db.Admin), withRole(t, s, "ben", db.Member)
	for range outbox.MaxWebhooks {
		addHook(t, s, ben.ID, ben.ID)
		addHook(t, s, 0, ann.ID)
	}
	add := func(userID, by int64) error {
		return s.Webhooks.Add(ctx, &outbox.Webhook{UserID: userID, Events: []outbox.Event{}, CreatedAt: day}, []byte("x"), by)
	}
	wants(t, add(ben.ID, ben.ID), db.ErrFull)
	wants(t, add(0, ann.ID), db.ErrFull)
	must(t, add(ann.ID, ann.ID))
	teams, err := s.Webhooks.Of(ctx, 0)
	must(t, err)
	same(t, len(teams), outbox.MaxWebhooks)
	must(t, s.Webhooks.Delete(ctx, teams[0].ID, ann.ID))
	wants(t, add(0, ben.ID), db.ErrNotFound)
	wants(t, s.Webhooks.Delete(ctx, teams[1].ID, ben.ID), db.ErrNotFound)
}

func TestEveryEndIsADeliveryOnce(t *testing.T) {
	s := open(t)
	ann, hook := hooked(t, s, "Ann")
	ben := addUser(t, s, "Ben")
	step(t, s, ben.ID, begin, accepted("failed")) // has no webhook
	step(t, s, ann.ID, begin, accepted("pending"))
	step(t, s, ann.ID, begin, accepted("failed"))
	step(t, s, ann.ID, begin, accepted("canceled"))
	step(t, s, ann.ID, func(t *db.Task) error { return t.Reject(db.BlameKey, "no", day) }, func(t *db.Task) error { return t.Decide(day) })
	step(t, s, ann.ID, begin, func(t *db.Task) error { return t.Lose("lost", day) }, accepted("success"),
		func(t *db.Task) error { return t.LoseFiles("it has no address") })
	var states []db.State
	found, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 99)
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
	same(t, told(t, s, hook), []outbox.Event{outbox.VideoFailed, outbox.VideoCanceled, outbox.VideoFailed, outbox.VideoUnconfirmed, outbox.VideoReady})
	if len(names) != 5 {
		t.Errorf("names are %v", names)
	}
}

// A webhook is told only of what it chose, and the team's of nothing private.
func TestAWebhookIsToldOfWhatItChose(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, ben := withRole(t, s, "ann", db.Admin), withRole(t, s, "ben", db.Member)
	all, few := addHook(t, s, ben.ID, ben.ID, outbox.Events()...), addHook(t, s, ben.ID, ben.ID, outbox.VideoCanceled, outbox.LimitAsked)
	admins, teams := addHook(t, s, ann.ID, ann.ID, outbox.Events()...), addHook(t, s, 0, ann.ID, outbox.Events()...)
	off := addHook(t, s, ben.ID, ben.ID, outbox.Events()...)
	_, err := s.Webhooks.AddTest(ctx, off.ID, ben.ID, day.Add(-time.Hour))
	must(t, err)
	if h, _ := attempt(t, s, outbox.Attempt{HTTP: 410, Problem: "gone", At: day.Add(-time.Hour)}); h.ID != off.ID || h.State != outbox.Off {
		t.Fatalf("%+v", h)
	}
	step(t, s, ben.ID, begin, accepted("failed"))
	private := step(t, s, ben.ID, func(t *db.Task) error { t.Private = true; return nil }, begin, accepted("canceled"))
	open := step(t, s, ben.ID, begin, accepted("pending"))
	addNote(t, s, review.Note{TaskID: private.ID, Author: review.Author{UserID: ann.ID}})
	addNote(t, s, review.Note{TaskID: open.ID, Author: review.Author{UserID: ann.ID}})
	addNote(t, s, review.Note{TaskID: open.ID, Author: review.Author{UserID: ben.ID}})
	must(t, s.Limits.AddAsk(ctx, &spending.Ask{UserID: ben.ID, Credits: 10, At: day}))
	same(t, told(t, s, all), []outbox.Event{outbox.VideoFailed, outbox.VideoCanceled, outbox.NoteCreated, outbox.NoteCreated, outbox.LimitAsked})
	same(t, told(t, s, few), []outbox.Event{outbox.VideoCanceled, outbox.LimitAsked})
	same(t, told(t, s, admins), []outbox.Event{outbox.LimitAsked})
	same(t, told(t, s, teams), []outbox.Event{outbox.VideoFailed, outbox.NoteCreated, outbox.NoteCreated, outbox.LimitAsked})
	same(t, told(t, s, off), []outbox.Event{outbox.TestSent})
}

func TestADeliveryOfAVideoWaitsForItsCopy(t *testing.T) {
	s := open(t)
	u, hook := hooked(t, s, "Ann")
	task := step(t, s, u.ID, begin, accepted("success", db.Result{Kind: db.Video, URL: "https://example.com/v.mp4"}))
	found, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 1)
	must(t, err)
	if wait := found[0].NextAt.Sub(day); wait != 2*time.Minute {
		t.Errorf("it waits %s", wait)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Keep(nil, true) })
	must(t, err)
	found, err = s.Webhooks.Deliveries(t.Context(), hook.ID, 1)
	must(t, err)
	if !found[0].NextAt.Equal(day) {
		t.Errorf("the copy is here, and it waits until %s", found[0].NextAt)
	}
}

func TestDeliveriesAreLeasedOnePerWebhook(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, _ := hooked(t, s, "Ann")
	ben, _ := hooked(t, s, "Ben")
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
	if len(due) != 2 || due[0].WebhookID == due[1].WebhookID || due[0].ID+due[1].ID != 1+4 {
		t.Fatalf("claimed %+v", due)
	}
	if again := claim("b", day.Add(time.Second)); len(again) > 0 {
		t.Errorf("claimed twice: %v", again)
	}
	arrived := outbox.Attempt{HTTP: 200, At: day}
	_, _, err := s.Webhooks.SettleDelivery(ctx, "b", due[0], arrived)
	wants(t, err, db.ErrConflict)
	wants(t, s.Webhooks.SendAgain(ctx, due[0].WebhookID, due[0].ID, ann.ID, day), db.ErrConflict)
	_, _, err = s.Webhooks.SettleDelivery(ctx, "a", due[0], arrived)
	must(t, err)
	if next := claim("b", day.Add(time.Second)); len(next) > 1 {
		t.Errorf("claimed %+v", next)
	}
	if over := claim("c", day.Add(2*time.Minute)); len(over) != 2 {
		t.Errorf("leases that ran out leave %+v", over)
	}
}

// What is too old goes. Any other delivery can be sent again, under its name.
func TestDeliveriesAreSentAgainOrLetGo(t *testing.T) {
	s, ctx := open(t), t.Context()
	u, hook := hooked(t, s, "Ann")
	ben := addUser(t, s, "Ben")
	for range 60 {
		_, err := s.Webhooks.AddTest(ctx, hook.ID, u.ID, day)
		must(t, err)
		attempt(t, s, outbox.Attempt{HTTP: 200, At: day})
	}
	kept, err := s.Webhooks.Deliveries(ctx, hook.ID, 99)
	if err != nil || len(kept) != 50 || kept[0].ID != 60 || kept[0].Outcome != outbox.Delivered {
		t.Fatalf("%d are kept, %v", len(kept), err)
	}
	wants(t, s.Webhooks.SendAgain(ctx, hook.ID, 1, u.ID, day), db.ErrNotFound)
	wants(t, s.Webhooks.SendAgain(ctx, hook.ID, 30, ben.ID, day), db.ErrNotFound)
	must(t, s.Webhooks.SendAgain(ctx, hook.ID, 30, u.ID, day))
	due, err := s.Webhooks.ClaimDeliveries(ctx, "a", day, day.Add(time.Minute), 9)
	must(t, err)
	if len(due) != 1 || due[0].ID != 30 || due[0].Tries != 0 || due[0].Outcome != outbox.Waiting {
		t.Errorf("%+v", due)
	}
	got, err := s.Webhooks.Webhook(ctx, hook.ID)
	must(t, err)
	if !got.SentAt.Equal(day) || got.Waiting != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFewTestsWaitAtATime(t *testing.T) {
	s, ctx := open(t), t.Context()
	ann, hers := hooked(t, s, "Ann")
	bo, his := hooked(t, s, "Bo")
	var err error
	for n := 0; err == nil; n++ {
		if _, err = s.Webhooks.AddTest(ctx, hers.ID, ann.ID, day); n > 100 {
			t.Fatal("a hundred tests wait")
		}
	}
	wants(t, err, db.ErrFull)
	_, err = s.Webhooks.AddTest(ctx, his.ID, bo.ID, day)
	must(t, err)
	_, err = s.Webhooks.AddTest(ctx, hers.ID, bo.ID, day)
	wants(t, err, db.ErrNotFound)
}
