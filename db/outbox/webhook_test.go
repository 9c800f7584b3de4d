package outbox_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"dailies/db/outbox"
)

var (
	noon  = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Minute)
)

// The signature must be the one that .github/OPERATING.md tells receivers to check.
func TestASignatureIsOverTheTimeAndTheBody(t *testing.T) {
	body := []byte(`{"id":7}`)
	mac := hmac.New(sha256.New, []byte("whsec_x"))
	mac.Write([]byte("1793707200." + `{"id":7}`))
	want := "t=1793707200,v1=" + hex.EncodeToString(mac.Sum(nil))
	if got := outbox.Sign("whsec_x", noon, body); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if outbox.Sign("whsec_y", noon, body) == want || outbox.Sign("whsec_x", later, body) == want || outbox.Sign("whsec_x", noon, body[1:]) == want {
		t.Error("another secret, time or body is signed alike")
	}
	if a, b := outbox.NewWebhookSecret(), outbox.NewWebhookSecret(); a == b || len(a) < 30 {
		t.Errorf("secrets are %q and %q", a, b)
	}
}

func TestADeliveryIsTriedWithGrowingPausesAndGivenUp(t *testing.T) {
	d := outbox.Delivery{TaskID: 7}
	at, pause := noon, time.Duration(0)
	for d.Deliver(500, "It answered with HTTP 500.", at); !d.NextAt.IsZero(); d.Deliver(0, "We couldn’t reach it.", at) {
		if wait := d.NextAt.Sub(at); wait <= pause {
			t.Fatalf("the pause after try %d is %s, after %s", d.Tries, wait, pause)
		} else {
			pause, at = wait, d.NextAt
		}
	}
	if whole := at.Sub(noon); d.Tries != 10 || whole < 24*time.Hour || whole > 72*time.Hour || d.Outcome != outbox.GaveUp {
		t.Errorf("%d tries over %s, outcome %q", d.Tries, whole, d.Outcome)
	}
}

func TestADeliveryThatArrivedIsOver(t *testing.T) {
	for status, outcome := range map[int]outbox.Outcome{200: outbox.Delivered, 204: outbox.Delivered, 299: outbox.Delivered, 302: outbox.Waiting, 404: outbox.Waiting, 500: outbox.Waiting, 0: outbox.Waiting} {
		d, problem := outbox.Delivery{TaskID: 7}, ""
		if outcome == outbox.Waiting {
			problem = "no"
		}
		d.Deliver(status, problem, noon)
		if d.Outcome != outcome || d.NextAt.IsZero() != (outcome == outbox.Delivered) || d.HTTP != status {
			t.Errorf("HTTP %d: %+v", status, d)
		}
	}
	test := outbox.Delivery{}
	if test.Deliver(500, "no", noon); test.Outcome != outbox.GaveUp || !test.NextAt.IsZero() {
		t.Errorf("a test is tried again: %+v", test)
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
