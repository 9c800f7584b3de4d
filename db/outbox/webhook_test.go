package outbox_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// The example is the one in the specification of Standard Webhooks.
func TestAStandardSignatureIsThatOfTheSpecification(t *testing.T) {
	const secret, name, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", `{"test": 2432232314}`
	got, ok := outbox.Signature(secret, name, time.Unix(1614265330, 0), []byte(body))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || !ok {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, bad := range []string{"whsec_", "", "whsec_!", "whsec_MFRGGZDF-"} {
		if _, ok := outbox.Signature(bad, name, noon, nil); ok {
			t.Errorf("%q signs", bad)
		}
	}
	a, b := outbox.NewWebhookSecret(), outbox.NewWebhookSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(a, "whsec_"))
	if a == b || err != nil || len(key) != 32 || !strings.HasPrefix(a, "whsec_") {
		t.Errorf("a secret has %d bytes, %v", len(key), err)
	}
}

func answered(status int, at time.Time) outbox.Attempt {
	a := outbox.Attempt{HTTP: status, At: at}
	if status/100 != 2 {
		a.Problem = "no"
	}
	return a
}

func TestADeliveryIsTriedWithGrowingPausesAndGivenUp(t *testing.T) {
	h, d := outbox.Webhook{}, outbox.Delivery{Event: outbox.VideoReady}
	at, pause := noon, time.Duration(0)
	for h.Record(&d, answered(500, at)); !d.NextAt.IsZero(); h.Record(&d, answered(0, at)) {
		wait := d.NextAt.Sub(at)
		if wait <= pause || pause == 0 && wait != 10*time.Second {
			t.Fatalf("the pause after try %d is %s, after %s", d.Tries, wait, pause)
		}
		pause, at = wait, d.NextAt
	}
	if whole := at.Sub(noon); d.Tries != 10 || whole < 24*time.Hour || whole > 72*time.Hour || d.Outcome != outbox.GaveUp {
		t.Errorf("%d tries over %s, outcome %q", d.Tries, whole, d.Outcome)
	}
}

func TestADeliveryThatArrivedIsOver(t *testing.T) {
	for status, outcome := range map[int]outbox.Outcome{200: outbox.Delivered, 204: outbox.Delivered, 299: outbox.Delivered, 302: outbox.Waiting, 404: outbox.Waiting, 500: outbox.Waiting, 0: outbox.Waiting, 410: outbox.GaveUp} {
		h, d := outbox.Webhook{State: outbox.On}, outbox.Delivery{Event: outbox.VideoReady}
		h.Record(&d, answered(status, noon))
		if d.Outcome != outcome || d.NextAt.IsZero() != (outcome != outbox.Waiting) || d.HTTP != status || (h.State == outbox.Off) != (status == 410) {
			t.Errorf("HTTP %d: %+v, %s", status, d, h.State)
		}
	}
	h, test := outbox.Webhook{}, outbox.Delivery{Event: outbox.TestSent}
	if h.Record(&test, answered(500, noon)); test.Outcome != outbox.GaveUp || !test.NextAt.IsZero() || h.Failures != 0 {
		t.Errorf("a test is tried again, or counts: %+v", test)
	}
	untold := outbox.Delivery{Event: outbox.VideoReady}
	if h.Record(&untold, outbox.Attempt{Problem: "private", Final: true, At: noon}); untold.Outcome != outbox.GaveUp || h.Failures != 0 {
		t.Errorf("what may not be told is tried again, or counts: %+v", untold)
	}
}

// Ten failures pause a webhook once the first of them was more than an hour ago. Something
// that arrives turns it on.
func TestAWebhookIsPausedAfterTenFailuresOverAnHour(t *testing.T) {
	h := outbox.Webhook{State: outbox.On}
	fail := func(after time.Duration) bool {
		d := outbox.Delivery{Event: outbox.VideoReady, Tries: 9}
		paused := h.Record(&d, answered(500, noon.Add(after)))
		if paused && (d.Outcome != outbox.Waiting || !d.NextAt.IsZero()) {
			t.Errorf("what has failed does not wait for the webhook: %+v", d)
		}
		return paused
	}
	for range 12 {
		if fail(time.Hour) { // all at once
			t.Fatal("it is paused at once")
		}
	}
	if fail(2*time.Hour) || !fail(2*time.Hour+time.Second) || h.State != outbox.Paused {
		t.Errorf("%+v", h)
	}
	if fail(3 * time.Hour) {
		t.Error("it is paused twice")
	}
	d := outbox.Delivery{Event: outbox.VideoReady}
	if h.Record(&d, answered(200, noon)); h.State != outbox.On || h.Failures != 0 || !h.FailingSince.IsZero() {
		t.Errorf("%+v", h)
	}
	h = outbox.Webhook{State: outbox.On}
	for i := range 9 {
		if fail(time.Duration(i) * time.Hour) {
			t.Fatalf("paused after %d failures", i+1)
		}
	}
	if !fail(9 * time.Hour) {
		t.Error("ten failures do not pause it")
	}
}

func TestAProgramMayAskForNothingForADay(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{0: 0, time.Minute: time.Minute, 40 * time.Hour: 24 * time.Hour} {
		h, d, a := outbox.Webhook{State: outbox.On}, outbox.Delivery{Event: outbox.VideoReady}, answered(429, noon)
		a.Wait = asked
		h.Record(&d, a)
		if got := h.QuietUntil; want == 0 && !got.IsZero() || want > 0 && !got.Equal(noon.Add(want)) {
			t.Errorf("asked for %s: %s", asked, got)
		}
		if h.Record(&d, answered(200, noon)); !h.QuietUntil.IsZero() {
			t.Error("it is quiet for ever")
		}
	}
}

func TestTheTeamsWebhooksAreToldOfNothingPrivate(t *testing.T) {
	team, own, other := outbox.Webhook{}, outbox.Webhook{UserID: 1}, outbox.Webhook{UserID: 2}
	for name, c := range map[string]struct {
		task             db.Task
		team, own, other bool
	}{
		"ready":   {db.Task{UserID: 1, State: db.Success}, true, true, true},
		"failed":  {db.Task{UserID: 1, State: db.Failed}, true, true, false},
		"private": {db.Task{UserID: 1, State: db.Success, Private: true}, false, true, false},
		"deleted": {db.Task{UserID: 1, State: db.Success, DeletedAt: noon}, false, true, false},
	} {
		if team.MayTell(c.task) != c.team || own.MayTell(c.task) != c.own || other.MayTell(c.task) != c.other {
			t.Errorf("%s: %v, %v, %v", name, team.MayTell(c.task), own.MayTell(c.task), other.MayTell(c.task))
		}
	}
	admin, member := db.User{ID: 1, Role: db.Admin}, db.User{ID: 3, Role: db.Member}
	if !team.IsOf(admin) || team.IsOf(member) || !own.IsOf(admin) || other.IsOf(admin) {
		t.Error("somebody has another's webhook")
	}
}

func TestDeliveryLaterThanAnyPauseIsTooFarAhead(t *testing.T) {
	for tries, pause := range []time.Duration{
		2 * time.Minute, 10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		3 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	} {
		d := outbox.Delivery{Tries: tries, NextAt: noon.Add(pause)}
		if d.TooFarAhead(noon) {
			t.Errorf("after %d tries, %s ahead is too far", tries, pause)
		}
		if d.NextAt = d.NextAt.Add(24 * time.Hour); !d.TooFarAhead(noon) {
			t.Errorf("after %d tries, a day more than %s ahead is obeyed", tries, pause)
		}
	}
}

// Nothing waits for a webhook that is off, also after somebody has sent something again.
func TestNothingWaitsForAWebhookThatIsOff(t *testing.T) {
	h, d := outbox.Webhook{State: outbox.Off}, outbox.Delivery{Event: outbox.VideoReady}
	h.Record(&d, outbox.Attempt{HTTP: 500, Problem: "It answered with HTTP 500.", At: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)})
	if h.State != outbox.Off || d.Outcome != outbox.GaveUp || !d.NextAt.IsZero() {
		t.Errorf("%+v, %+v", h, d)
	}
}
