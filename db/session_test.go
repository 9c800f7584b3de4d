package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestSessionEndsAfterNinetyDaysHoweverOftenItIsUsed(t *testing.T) {
	s := db.NewSession(1, db.TokenHash{}, "Firefox", noon)
	for now := noon; now.Before(s.ExpiresAt); now = now.Add(time.Hour) {
		s.ExpiresAt = s.UsedUntil(now)
	}
	if want := noon.Add(90 * 24 * time.Hour); !s.ExpiresAt.Equal(want) {
		t.Errorf("it ends at %v, want %v", s.ExpiresAt, want)
	}
}

func TestSessionOfBeforeIsNotCutShort(t *testing.T) {
	s := db.Session{CreatedAt: noon.Add(-200 * 24 * time.Hour), ExpiresAt: noon.Add(29 * 24 * time.Hour)}
	if got := s.UsedUntil(noon); !got.Equal(s.ExpiresAt) {
		t.Errorf("it ends at %v", got)
	}
}
