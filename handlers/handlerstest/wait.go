package handlerstest

import (
	"testing"
	"time"
)

// SkipShort skips a long test in a short run, which is the race detector's: it asks
// one thing after the other, so nothing in it can race.
func SkipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long, and asks one thing after the other")
	}
}

// Eventually waits until the condition holds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("not within 30 s: %s", what)
		case <-tick.C:
		}
	}
}
