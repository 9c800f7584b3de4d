package signin_test

import (
	"testing"
	"time"

	"dailies/db/secrets"
	"dailies/db/signin"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func TestSessionEndsAfterNinetyDaysHoweverOftenItIsUsed(t *testing.T) {
	s := signin.NewSession(1, secrets.TokenHash{}, "Firefox", noon)
	for now := noon; now.Before(s.ExpiresAt); now = now.Add(time.Hour) {
		s.ExpiresAt = s.UsedUntil(now)
	}
	if want := noon.Add(90 * 24 * time.Hour); !s.ExpiresAt.Equal(want) {
		t.Errorf("it ends at %v, want %v", s.ExpiresAt, want)
	}
}

func TestSessionFromBeforeTheLimitIsNotCutShort(t *testing.T) {
	s := signin.Session{CreatedAt: noon.Add(-200 * 24 * time.Hour), ExpiresAt: noon.Add(29 * 24 * time.Hour)}
	if got := s.UsedUntil(noon); !got.Equal(s.ExpiresAt) {
		t.Errorf("it ends at %v", got)
	}
}

func TestInviteOpensOnceAndForAWhile(t *testing.T) {
	i := signin.Invite{ExpiresAt: noon}
	if !i.Open(noon.Add(-1)) || i.Open(noon) {
		t.Error("the link does not end when it should")
	}
	i.UsedAt = noon.Add(-2)
	if i.Open(noon.Add(-1)) {
		t.Error("a used link is open")
	}
}
