package handlerstest

import (
	"runtime"
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

// Ends calls what is to return within a minute. If it does not, the test fails and
// tells what hangs.
func Ends(t testing.TB, what string, end func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); end() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		all := make([]byte, 1<<20)
		t.Fatalf("%s has not ended within a minute\n%s", what, all[:runtime.Stack(all, true)])
	}
}
