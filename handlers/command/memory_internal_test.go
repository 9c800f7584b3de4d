package command

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackAfterWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var bytes, freed atomic.Uint64
		go givingBack(ctx, bytes.Load, func() { freed.Add(1) })
		for _, step := range []struct {
			allocates uint64
			freed     uint64
		}{{0, 0}, {muchAllocated - 1, 0}, {1, 1}, {0, 1}, {muchAllocated * 9, 1}, {muchAllocated, 1}, {0, 2}, {0, 2}, {muchAllocated / 2, 2}, {muchAllocated / 2, 3}} {
			synctest.Wait()
			bytes.Add(step.allocates)
			time.Sleep(givenBackEvery)
			synctest.Wait()
			if got := freed.Load(); got != step.freed {
				t.Errorf("after %d more bytes, memory was given back %d times, want %d", step.allocates, got, step.freed)
			}
		}
		cancel()
	})
}

func TestAllocationsAreCounted(t *testing.T) {
	before := allocated()
	if kept := make([]byte, muchAllocated); allocated()-before < uint64(len(kept)) {
		t.Errorf("%d bytes were counted, of %d", allocated()-before, len(kept))
	}
}
