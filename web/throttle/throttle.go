// Package throttle limits the rate of attempts, such as guesses of a password. It counts
// attempts by name, in bounded memory, and determines the client's IP address.
package throttle

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Rate allows Burst attempts at once, and after that one per interval Every.
type Rate struct {
	Name  string // under which attempts are counted, such as "address 203.0.113.7"
	Burst int
	Every time.Duration
}

// A Throttle counts attempts in this process. Its methods may be called concurrently.
type Throttle struct {
	mu sync.Mutex
	// full holds, for each name, the time at which all of its attempts will be
	// available again. For a missing name, all are available.
	full simplelru.LRUCache[string, time.Time] // an interface, see db/store/engine.Recents
}

// New returns a Throttle that remembers at most so many names. Beyond that, it forgets
// the name whose last attempt was the longest ago.
func New(names int) *Throttle {
	full, err := simplelru.NewLRU[string, time.Time](names, nil)
	if err != nil {
		panic(fmt.Sprintf("throttle: room for %d names: %v", names, err))
	}
	return &Throttle{full: full}
}

// Take takes one attempt from each limit. If any limit has none left, Take takes
// nothing and returns how long the caller must wait. Call it before the work that it
// permits, so that concurrent attempts are counted too.
func (t *Throttle) Take(limits ...Rate) (a Attempt, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, l := range limits {
		wait = max(wait, l.next(t.fullAt(l, now)).Sub(now))
	}
	if wait > 0 {
		return Attempt{}, wait
	}
	for _, l := range limits {
		t.full.Add(l.Name, t.fullAt(l, now).Add(l.Every))
	}
	return Attempt{t, limits}, 0
}

// Left returns how many attempts the limit has left, and after how long it has all again.
func (t *Throttle) Left(l Rate) (left int, full time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	full = t.fullAt(l, now).Sub(now)
	return max(0, l.Burst-int((full+l.Every-1)/l.Every)), full
}

// fullAt returns the time at which all attempts of the limit will be available, which
// is never before now. The caller must hold t.mu.
func (t *Throttle) fullAt(l Rate, now time.Time) time.Time {
	if at, ok := t.full.Peek(l.Name); ok && at.After(now) {
		return at
	}
	return now
}

// next returns the earliest time for the next attempt, given the time full at which all
// attempts will be available.
func (l Rate) next(full time.Time) time.Time {
	return full.Add(-time.Duration(l.Burst-1) * l.Every)
}

// An Attempt is an attempt that was taken from a Throttle.
type Attempt struct {
	throttle *Throttle
	limits   []Rate
}

// GiveBack makes the attempt available again, for example because it succeeded. It must
// be called at most once.
func (a Attempt) GiveBack() {
	if a.throttle == nil {
		return
	}
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, l := range a.limits {
		at := t.fullAt(l, now).Add(-l.Every)
		if at.After(now) {
			t.full.Add(l.Name, at)
		} else {
			t.full.Remove(l.Name)
		}
	}
}
