package outbox_test

import (
	"testing"
	"time"

	"dailies/db/outbox"
)

func TestAMailIsTriedWithGrowingPausesAndGivenUp(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	m := outbox.NewMail(outbox.MailAsked, 7, now)
	var last time.Duration
	for !m.NextAt.IsZero() {
		at := m.NextAt
		m.Fail("no answer", false, at)
		if m.NextAt.IsZero() {
			break
		}
		if pause := m.NextAt.Sub(at); pause < last || pause > 2*time.Hour {
			t.Fatalf("try %d: a pause of %s after one of %s", m.Tries, pause, last)
		} else {
			last = pause
		}
		if m.Tries > 1000 {
			t.Fatal("it is never given up")
		}
	}
	if m.TriedAt.Sub(now) < 2*24*time.Hour || m.TriedAt.Sub(now) > outbox.MailLife || m.Problem != "no answer" {
		t.Errorf("given up after %s: %q", m.TriedAt.Sub(now), m.Problem)
	}
	refused := outbox.NewMail(outbox.MailInvite, 0, now)
	if refused.Fail("nobody", true, now); !refused.NextAt.IsZero() {
		t.Error("what is refused is tried again")
	}
	if forgot := outbox.NewMail(outbox.MailReset, 7, now); forgot.Until.Sub(now) != 24*time.Hour {
		t.Error("a link is sent that does not work any more")
	}
}
