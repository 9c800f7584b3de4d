package handlerstest

import (
	"runtime"
	"testing"
	"time"
)

// Eventually waits until the condition holds, for at most a minute.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Within(t, time.Minute, what, holds)
}

// Within is like Eventually, with another time limit.
func Within(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("not within %v: %s", limit, what)
		case <-tick.C:
		}
	}
}

// Ends calls end, which should return within a minute. If it does not, the test fails
// and shows the stacks of all goroutines.
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
