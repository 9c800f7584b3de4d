// Package costtest measures what work costs as CPU time, for tests. It compares work with
// other work in the same process, so that a slow or busy machine does not matter.
package costtest

import (
	"math"
	"testing"
	"time"
)

// Of returns the CPU time of the process while it does the work.
func Of(work func()) time.Duration {
	began := Processor()
	work()
	return Processor() - began
}

// noise is CPU time that other work of the process may take meanwhile, such as collecting
// garbage.
const noise = 40 * time.Millisecond

// Linear fails the test unless work of the size n costs at most three times as much as work of
// half that size. The function cost returns the CPU time of work of a size.
func Linear(t testing.TB, what string, n int, cost func(n int) time.Duration) {
	t.Helper()
	whole, half := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)/3
	const rounds = 15 // more than five, because others may use the machine
	for range rounds {
		whole, half = min(whole, cost(n)), min(half, cost(n/2))
		if whole <= max(noise, 3*half) {
			return
		}
	}
	t.Errorf("%s: %d take %v, half of them %v", what, n, whole, half)
}
