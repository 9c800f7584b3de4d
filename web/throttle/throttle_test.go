package throttle_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/throttle"
)

func limit(name string) throttle.Rate {
	return throttle.Rate{Name: name, Burst: 3, Every: 10 * time.Second}
}

func TestAttemptsComeBackOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := throttle.New(10)
		for i := range 3 {
			if _, wait := tr.Take(limit("a")); wait != 0 {
				t.Errorf("attempt %d waits %s", i, wait)
			}
		}
		if _, wait := tr.Take(limit("a")); wait != 10*time.Second {
			t.Errorf("the fourth waits %s", wait)
		}
		time.Sleep(4 * time.Second)
		if _, wait := tr.Take(limit("a")); wait != 6*time.Second {
			t.Errorf("after 4 s it waits %s", wait)
		}
		time.Sleep(6 * time.Second)
		if _, wait := tr.Take(limit("a")); wait != 0 {
			t.Errorf("after 10 s it waits %s", wait)
		}
		if _, wait := tr.Take(limit("a")); wait != 10*time.Second {
			t.Errorf("two came back: it waits %s", wait)
		}
		time.Sleep(time.Hour)
		for range 3 {
			tr.Take(limit("a"))
		}
		if _, wait := tr.Take(limit("a")); wait == 0 {
			t.Error("an hour gave more than the burst")
		}
	})
}

func TestARefusedAttemptTakesNothing(t *testing.T) {
	tr := throttle.New(10)
	for range 3 {
		tr.Take(limit("a"))
	}
	for range 100 {
		if _, wait := tr.Take(limit("a"), limit("b")); wait == 0 {
			t.Fatal("it was not refused")
		}
	}
	if tr.Len() != 1 {
		t.Errorf("%d names are remembered, want 1", tr.Len())
	}
	for range 3 {
		if _, wait := tr.Take(limit("b")); wait != 0 {
			t.Error("refused attempts were counted")
		}
	}
}

func TestGiveBackLeavesNothingBehind(t *testing.T) {
	tr := throttle.New(10)
	for range 100 {
		a, wait := tr.Take(limit("a"), limit("b"))
		if wait != 0 {
			t.Fatal("a success was counted")
		}
		a.GiveBack()
	}
	if tr.Len() != 0 {
		t.Errorf("%d names are remembered", tr.Len())
	}
	throttle.Attempt{}.GiveBack()
}

func TestMemoryIsBounded(t *testing.T) {
	tr := throttle.New(10)
	for i := range 1000 {
		tr.Take(limit(fmt.Sprint(i)))
	}
	if tr.Len() != 10 {
		t.Errorf("%d names are remembered", tr.Len())
	}
	// The newest names are remembered.
	tr.Take(limit("999"))
	tr.Take(limit("999"))
	if _, wait := tr.Take(limit("999")); wait == 0 {
		t.Error("the newest name was forgotten")
	}
}

func TestConcurrentAttemptsAreCounted(t *testing.T) {
	tr := throttle.New(10)
	var through atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if _, wait := tr.Take(limit("a")); wait == 0 {
				through.Add(1)
			}
		})
	}
	all.Wait()
	if through.Load() != 3 {
		t.Errorf("%d went through, want 3", through.Load())
	}
}
