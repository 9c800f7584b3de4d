package signin_test

import (
	"testing"
	"time"

	"dailies/db/signin"
)

func TestPausesBetweenGuessesGrow(t *testing.T) {
	limit := signin.Backoff{Free: 3, First: time.Minute, Longest: 10 * time.Minute}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	var g signin.Guess
	guess := func(want time.Duration) {
		t.Helper()
		_, wait := limit.Next(g, now)
		if wait != want {
			t.Errorf("after %d wrong ones: %s, want %s", g.Wrong, wait, want)
		}
		now = now.Add(wait)
		next, again := limit.Next(g, now)
		if again != 0 {
			t.Errorf("after the pause it waits %s", again)
		}
		g = next
	}
	for _, want := range []time.Duration{0, 0, 0, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		guess(want)
	}
	if g.Wrong != 7 || limit.Reaches(g) || !limit.Reaches(signin.Guess{Wrong: 3}) {
		t.Errorf("%+v", g)
	}
	now = now.Add(3*signin.GuessLife + time.Hour)
	guess(0) // three are forgotten, and one is added
	if g.Wrong != 5 || !g.Before.Equal(now.Add(-time.Hour)) {
		t.Errorf("%+v", g)
	}
	guess(4 * time.Minute)
	now = now.Add(50 * signin.GuessLife)
	guess(0)
	if g.Wrong != 1 {
		t.Errorf("after a long time: %+v", g)
	}
	if next, wait := limit.Next(signin.Guess{Wrong: 1, At: now.Add(time.Millisecond)}, now); wait != 0 || next.Wrong != 2 {
		t.Errorf("at the same moment: %+v, %s", next, wait)
	}
	g = signin.Guess{Wrong: 6, At: now.Add(100 * 24 * time.Hour)} // by a clock that was wrong
	guess(0)
	guess(10 * time.Minute)
}
