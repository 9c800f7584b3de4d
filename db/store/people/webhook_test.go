package people_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// hooked adds a person with a webhook that is told of everything.
func hooked(t *testing.T, s *store.Store, name string) (db.User, outbox.Webhook) {
	t.Helper()
	u := suite.AddUser(t, s, name)
	return u, suite.AddWebhook(t, s, u.ID, u.ID, outbox.Events()...)
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

func TestAWebhookIsKeptChangedAndDeleted(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	u, h := hooked(t, s, "Ann")
	ben := suite.AddUser(t, s, "Ben")
	got, err := s.Webhooks.Webhook(ctx, h.ID)
	must(t, err)
	suite.Same(t, got, h)
	h.Address, h.Events = "https://example.org/", []outbox.Event{outbox.VideoFailed}
	suite.Wants(t, s.Webhooks.Change(ctx, h, ben.ID), db.ErrNotFound)
	must(t, s.Webhooks.Change(ctx, h, u.ID))
	suite.AddTaskWith(t, s, u.ID, suite.Begin, suite.Accepted("failed"))
	list, err := s.Webhooks.Of(ctx, u.ID)
	must(t, err)
	h.Waiting = 1
	suite.Same(t, list, []outbox.Webhook{h})
	suite.Wants(t, s.Webhooks.Delete(ctx, h.ID, ben.ID), db.ErrNotFound)
	must(t, s.Webhooks.Delete(ctx, h.ID, u.ID))
	_, err = s.Webhooks.Webhook(ctx, h.ID)
	suite.Wants(t, err, db.ErrNotFound)
	if left, err := s.Webhooks.Deliveries(ctx, h.ID, 9); err != nil || len(left) > 0 {
		t.Errorf("deliveries are left: %v, %v", left, err)
	}
	if left, err := s.Webhooks.Secrets(ctx, h.ID, suite.Day); err != nil || len(left) > 0 {
		t.Errorf("secrets are left: %v, %v", left, err)
	}
	for _, e := range entriesOf(t, s) {
		if strings.Contains(e.Before+e.After, "secret") {
			t.Errorf("the audit has the whole address: %+v", e)
		}
	}
}

func TestAPersonAndTheTeamHaveFiveWebhooksEach(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	ann, ben := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "ben", db.Member)
	for range outbox.MaxWebhooks {
		suite.AddWebhook(t, s, ben.ID, ben.ID)
		suite.AddWebhook(t, s, 0, ann.ID)
	}
	add := func(userID, by int64) error {
		return s.Webhooks.Add(ctx, &outbox.Webhook{UserID: userID, Events: []outbox.Event{}, CreatedAt: suite.Day}, []byte("x"), by)
	}
	suite.Wants(t, add(ben.ID, ben.ID), db.ErrFull)
	suite.Wants(t, add(0, ann.ID), db.ErrFull)
	must(t, add(ann.ID, ann.ID))
	teams, err := s.Webhooks.Of(ctx, 0)
	must(t, err)
	suite.Same(t, len(teams), outbox.MaxWebhooks)
	must(t, s.Webhooks.Delete(ctx, teams[0].ID, ann.ID))
	suite.Wants(t, add(0, ben.ID), db.ErrNotFound)
	suite.Wants(t, s.Webhooks.Delete(ctx, teams[1].ID, ben.ID), db.ErrNotFound)
}

func TestEveryEndIsADeliveryOnce(t *testing.T) {
	s := suite.Open(t)
	ann, hook := hooked(t, s, "Ann")
	ben := suite.AddUser(t, s, "Ben")
	suite.AddTaskWith(t, s, ben.ID, suite.Begin, suite.Accepted("failed")) // has no webhook
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("pending"))
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("failed"))
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("canceled"))
	suite.AddTaskWith(
		t, s, ann.ID, func(t *db.Task) error { return t.Reject(db.KeyError, "no", suite.Day) },
		func(t *db.Task) error { return t.Decide(suite.Day) },
	)
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, func(t *db.Task) error { return t.Lose("lost", suite.Day) }, suite.Accepted("success"),
		func(t *db.Task) error { return t.LoseFiles("it has no address") })
	var states []db.State
	found, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 99)
	must(t, err)
	names := map[string]bool{}
	for _, d := range found {
		states = append(states, d.State)
		names[d.Name] = len(d.Name) == 32
		if !d.CreatedAt.Equal(suite.Day) || !d.NextAt.Equal(suite.Day) {
			t.Errorf("%+v", d)
		}
	}
	suite.Same(t, states, []db.State{db.Success, db.Unconfirmed, db.Rejected, db.Canceled, db.Failed})
	suite.Same(t, suite.EventsOf(t, s, hook), []outbox.Event{
		outbox.VideoFailed, outbox.VideoCanceled, outbox.VideoFailed, outbox.VideoUnconfirmed, outbox.VideoReady,
	})
	if len(names) != 5 {
		t.Errorf("names are %v", names)
	}
}

// A webhook is told only of what it chose, and the team's of nothing private.
func TestAWebhookIsToldOfWhatItChose(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	ann, ben := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "ben", db.Member)
	all, few := suite.AddWebhook(t, s, ben.ID, ben.ID, outbox.Events()...), suite.AddWebhook(t, s, ben.ID, ben.ID, outbox.VideoCanceled, outbox.LimitAsked)
	admins, teams := suite.AddWebhook(t, s, ann.ID, ann.ID, outbox.Events()...), suite.AddWebhook(t, s, 0, ann.ID, outbox.Events()...)
	off := suite.AddWebhook(t, s, ben.ID, ben.ID, outbox.Events()...)
	_, err := s.Webhooks.AddTest(ctx, off.ID, ben.ID, suite.Day.Add(-time.Hour))
	must(t, err)
	if h, _ := attempt(t, s, outbox.Attempt{
		HTTP: 410, Problem: "gone", At: suite.Day.Add(-time.Hour),
	}); h.ID != off.ID || h.State != outbox.Off {
		t.Fatalf("%+v", h)
	}
	suite.AddTaskWith(t, s, ben.ID, suite.Begin, suite.Accepted("failed"))
	private := suite.AddTaskWith(
		t, s, ben.ID, func(t *db.Task) error { t.Private = true; return nil }, suite.Begin, suite.Accepted("canceled"),
	)
	open := suite.AddTaskWith(t, s, ben.ID, suite.Begin, suite.Accepted("pending"))
	suite.AddNote(t, s, review.Note{TaskID: private.ID, Author: review.Author{UserID: ann.ID}})
	suite.AddNote(t, s, review.Note{TaskID: open.ID, Author: review.Author{UserID: ann.ID}})
	suite.AddNote(t, s, review.Note{TaskID: open.ID, Author: review.Author{UserID: ben.ID}})
	must(t, s.Limits.AddCreditRequest(ctx, &spending.CreditRequest{UserID: ben.ID, Credits: 10, At: suite.Day}))
	suite.Same(t, suite.EventsOf(t, s, all), []outbox.Event{
		outbox.VideoFailed, outbox.VideoCanceled, outbox.NoteCreated, outbox.NoteCreated, outbox.LimitAsked,
	})
	suite.Same(t, suite.EventsOf(t, s, few), []outbox.Event{outbox.VideoCanceled, outbox.LimitAsked})
	suite.Same(t, suite.EventsOf(t, s, admins), []outbox.Event{outbox.LimitAsked})
	suite.Same(t, suite.EventsOf(t, s, teams), []outbox.Event{
		outbox.VideoFailed, outbox.NoteCreated, outbox.NoteCreated, outbox.LimitAsked,
	})
	suite.Same(t, suite.EventsOf(t, s, off), []outbox.Event{outbox.TestSent})
}

func TestADeliveryOfAVideoWaitsForItsCopy(t *testing.T) {
	s := suite.Open(t)
	u, hook := hooked(t, s, "Ann")
	task := suite.AddTaskWith(t, s, u.ID, suite.Begin, suite.Accepted("success", db.Result{
		Kind: db.Video, URL: "https://example.com/v.mp4",
	}))
	found, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 1)
	must(t, err)
	if wait := found[0].NextAt.Sub(suite.Day); wait != 2*time.Minute {
		t.Errorf("it waits %s", wait)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Keep(nil, true) })
	must(t, err)
	found, err = s.Webhooks.Deliveries(t.Context(), hook.ID, 1)
	must(t, err)
	if !found[0].NextAt.Equal(suite.Day) {
		t.Errorf("the copy is here, and it waits until %s", found[0].NextAt)
	}
}

func TestDeliveriesAreLeasedOnePerWebhook(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	ann, _ := hooked(t, s, "Ann")
	ben, _ := hooked(t, s, "Ben")
	for range 3 {
		suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("failed"))
	}
	suite.AddTaskWith(t, s, ben.ID, suite.Begin, suite.Accepted("failed"))
	claim := func(owner string, now time.Time) []outbox.Delivery {
		t.Helper()
		due, err := s.Webhooks.ClaimDeliveries(ctx, owner, now, now.Add(time.Minute), 10)
		must(t, err)
		return due
	}
	if early := claim("a", suite.Day.Add(-time.Second)); len(early) > 0 {
		t.Errorf("not due, but claimed: %v", early)
	}
	due := claim("a", suite.Day)
	if len(due) != 2 || due[0].WebhookID == due[1].WebhookID || due[0].ID+due[1].ID != 1+4 {
		t.Fatalf("claimed %+v", due)
	}
	if again := claim("b", suite.Day.Add(time.Second)); len(again) > 0 {
		t.Errorf("claimed twice: %v", again)
	}
	arrived := outbox.Attempt{HTTP: 200, At: suite.Day}
	_, _, err := s.Webhooks.SettleDelivery(ctx, "b", due[0], arrived)
	suite.Wants(t, err, db.ErrConflict)
	suite.Wants(t, s.Webhooks.SendAgain(ctx, due[0].WebhookID, due[0].ID, ann.ID, suite.Day), db.ErrConflict)
	_, _, err = s.Webhooks.SettleDelivery(ctx, "a", due[0], arrived)
	must(t, err)
	if next := claim("b", suite.Day.Add(time.Second)); len(next) > 1 {
		t.Errorf("claimed %+v", next)
	}
	if over := claim("c", suite.Day.Add(2*time.Minute)); len(over) != 2 {
		t.Errorf("leases that ran out leave %+v", over)
	}
}

// What is too old goes. Any other delivery can be sent again, under its name.
func TestDeliveriesAreSentAgainOrLetGo(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	u, hook := hooked(t, s, "Ann")
	ben := suite.AddUser(t, s, "Ben")
	for range 60 {
		_, err := s.Webhooks.AddTest(ctx, hook.ID, u.ID, suite.Day)
		must(t, err)
		attempt(t, s, outbox.Attempt{HTTP: 200, At: suite.Day})
	}
	kept, err := s.Webhooks.Deliveries(ctx, hook.ID, 99)
	if err != nil || len(kept) != 50 || kept[0].ID != 60 || kept[0].Outcome != outbox.Delivered {
		t.Fatalf("%d are kept, %v", len(kept), err)
	}
	suite.Wants(t, s.Webhooks.SendAgain(ctx, hook.ID, 1, u.ID, suite.Day), db.ErrNotFound)
	suite.Wants(t, s.Webhooks.SendAgain(ctx, hook.ID, 30, ben.ID, suite.Day), db.ErrNotFound)
	must(t, s.Webhooks.SendAgain(ctx, hook.ID, 30, u.ID, suite.Day))
	due, err := s.Webhooks.ClaimDeliveries(ctx, "a", suite.Day, suite.Day.Add(time.Minute), 9)
	must(t, err)
	if len(due) != 1 || due[0].ID != 30 || due[0].Tries != 0 || due[0].Outcome != outbox.Waiting {
		t.Errorf("%+v", due)
	}
	got, err := s.Webhooks.Webhook(ctx, hook.ID)
	must(t, err)
	if !got.SentAt.Equal(suite.Day) || got.Waiting != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFewTestsWaitAtATime(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	ann, hers := hooked(t, s, "Ann")
	bo, his := hooked(t, s, "Bo")
	var err error
	for n := 0; err == nil; n++ {
		if _, err = s.Webhooks.AddTest(ctx, hers.ID, ann.ID, suite.Day); n > 100 {
			t.Fatal("a hundred tests wait")
		}
	}
	suite.Wants(t, err, db.ErrFull)
	_, err = s.Webhooks.AddTest(ctx, his.ID, bo.ID, suite.Day)
	must(t, err)
	_, err = s.Webhooks.AddTest(ctx, hers.ID, bo.ID, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
}

// Everything waits for a webhook that is paused, and is sent when it is turned on. Those who
// can do that are told by mail.
func TestAPausedWebhookLosesNothing(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	ann, mia := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "mia", db.Admin)
	own, teams := suite.AddWebhook(t, s, ann.ID, ann.ID, outbox.VideoFailed), suite.AddWebhook(t, s, 0, ann.ID, outbox.VideoFailed)
	for range 3 {
		suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("failed"))
	}
	paused, at := map[int64]int{}, suite.Day
	for n := 0; len(paused) < 2; n++ {
		if h, now := attempt(t, s, outbox.Attempt{HTTP: 500, Problem: "no", At: at}); now {
			paused[h.ID]++
		}
		if at = at.Add(20 * time.Minute); n > 60 {
			t.Fatal("nothing is paused")
		}
	}
	suite.AddTaskWith(t, s, mia.ID, suite.Begin, suite.Accepted("failed"))
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("failed"))
	if due, err := s.Webhooks.ClaimDeliveries(ctx, "a", at.Add(time.Hour), at.Add(2*time.Hour), 9); err != nil || len(due) > 0 {
		t.Errorf("%+v, %v", due, err)
	}
	for hook, want := range map[int64]int{own.ID: 4, teams.ID: 5} {
		if h, err := s.Webhooks.Webhook(ctx, hook); err != nil || h.State != outbox.Paused || h.Waiting != want || h.Failures < 10 {
			t.Errorf("%+v, %v", h, err)
		}
	}
	mails, err := s.Mail.ClaimMails(ctx, "a", at, at.Add(time.Minute), 99)
	must(t, err)
	to := map[int64]int{}
	for _, m := range mails {
		to[m.UserID]++
		suite.Same(t, m.Kind, outbox.MailWebhook)
		suite.Same(t, m.Details.Host, "https://example.com")
	}
	suite.Same(t, to, map[int64]int{ann.ID: 2, mia.ID: 1})
	// One that is sent by hand, and arrives, turns it on.
	waiting, err := s.Webhooks.Deliveries(ctx, own.ID, 1)
	must(t, err)
	must(t, s.Webhooks.SendAgain(ctx, own.ID, waiting[0].ID, ann.ID, at))
	if h, _ := attempt(t, s, outbox.Attempt{HTTP: 200, At: at}); h.State != outbox.On {
		t.Errorf("%+v", h)
	}
	must(t, s.Webhooks.TurnOn(ctx, teams.ID, mia.ID, at))
	for range 5 + 3 {
		attempt(t, s, outbox.Attempt{HTTP: 204, At: at})
	}
	must(t, s.Webhooks.Sweep(ctx, at.AddDate(1, 0, 0)))
	if h, err := s.Webhooks.Webhook(ctx, teams.ID); err != nil || h.State != outbox.On || h.Waiting != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestDeliveriesDoNotWaitForEver(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	u, hook := hooked(t, s, "Ann")
	suite.AddTaskWith(t, s, u.ID, suite.Begin, suite.Accepted("failed"))
	for i := range 10 {
		attempt(t, s, outbox.Attempt{HTTP: 500, Problem: "no", At: suite.Day.Add(time.Duration(i) * 24 * time.Hour)})
	}
	must(t, s.Webhooks.Sweep(ctx, suite.Day.Add(outbox.DeliveryLasts-time.Second)))
	suite.Same(t, len(suite.EventsOf(t, s, hook)), 1)
	must(t, s.Webhooks.Sweep(ctx, suite.Day.Add(outbox.DeliveryLasts)))
	suite.Same(t, len(suite.EventsOf(t, s, hook)), 0)
}

func TestAQuietWebhookGetsNothing(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	u, hook := hooked(t, s, "Ann")
	for range 2 {
		suite.AddTaskWith(t, s, u.ID, suite.Begin, suite.Accepted("failed"))
	}
	attempt(t, s, outbox.Attempt{HTTP: 429, Problem: "no", Wait: time.Hour, At: suite.Day})
	claim := func(at time.Time) int {
		t.Helper()
		due, err := s.Webhooks.ClaimDeliveries(ctx, "a", at, at.Add(time.Second), 9)
		must(t, err)
		return len(due)
	}
	suite.Same(t, claim(suite.Day.Add(time.Hour-time.Second)), 0)
	suite.Same(t, claim(suite.Day.Add(time.Hour)), 1)
	// A clock that was wrong when the program asked does not silence it for ever.
	attempt(t, s, outbox.Attempt{HTTP: 429, Problem: "no", Wait: 24 * time.Hour, At: suite.Day.Add(1000 * time.Hour)})
	_, err := s.Unstick(ctx, "a", suite.Day.Add(900*time.Hour), time.Hour, time.Minute, nil)
	must(t, err)
	if h, err := s.Webhooks.Webhook(ctx, hook.ID); err != nil || !h.QuietUntil.IsZero() {
		t.Errorf("%+v, %v", h, err)
	}
}

// For a day after a new secret, both sign. Of several earlier ones only the last does.
func TestANewSecretLeavesTheEarlierOneForADay(t *testing.T) {
	s, ctx := suite.Open(t), t.Context()
	u, hook := hooked(t, s, "Ann")
	ben := suite.AddUser(t, s, "Ben")
	secrets := func(at time.Time) (all []string) {
		t.Helper()
		list, err := s.Webhooks.Secrets(ctx, hook.ID, at)
		must(t, err)
		for _, sealed := range list {
			all = append(all, string(sealed))
		}
		return all
	}
	suite.Same(t, secrets(suite.Day), []string{"x"})
	suite.Wants(t, s.Webhooks.Renew(ctx, hook.ID, []byte("y"), ben.ID, suite.Day), db.ErrNotFound)
	must(t, s.Webhooks.Renew(ctx, hook.ID, []byte("y"), u.ID, suite.Day))
	suite.Same(t, secrets(suite.Day.Add(24*time.Hour-time.Second)), []string{"y", "x"})
	suite.Same(t, secrets(suite.Day.Add(24*time.Hour)), []string{"y"})
	must(t, s.Webhooks.Renew(ctx, hook.ID, []byte("z"), u.ID, suite.Day.Add(time.Hour)))
	suite.Same(t, secrets(suite.Day.Add(2*time.Hour)), []string{"z", "y"})
	must(t, s.Webhooks.Sweep(ctx, suite.Day.Add(25*time.Hour)))
	suite.Same(t, secrets(suite.Day), []string{"z"})
}

// Statements of the version in which a person had one webhook still run, and tell nobody of
// anything. Only processes on a server can be of two versions.
func TestAVersionWithSingleWebhooksGoesOnBesideThis(t *testing.T) {
	if !suite.OnServer() {
		return
	}
	s, raw := suite.OpenRaw(t)
	u := suite.AddUser(t, s, "Ann")
	hook := suite.AddWebhook(t, s, u.ID, u.ID, outbox.Events()...)
	task := suite.AddTaskWith(t, s, u.ID)
	var notes int
	must(t, raw.QueryRow(`SELECT notes FROM webhooks WHERE user_id = $1 AND length(sealed) = 0`, u.ID).Scan(&notes))
	for _, statement := range []string{
		`INSERT INTO deliveries (user_id, task_id, note_id, guest_id, created_at, next_at) SELECT user_id, CAST($2 AS BIGINT), NULL, NULL, 0, 0 FROM webhooks WHERE user_id = $1 AND notes = 1`,
		`DELETE FROM deliveries WHERE user_id = $1 AND task_id <> $2 AND next_at IS NOT NULL`,
	} {
		_, err := raw.Exec(statement, u.ID, task.ID)
		must(t, err)
	}
	suite.Same(t, len(suite.EventsOf(t, s, hook)), 0)
}
