package suite_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/suite"
)

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
