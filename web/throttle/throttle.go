// Package throttle slows down guessing. It counts attempts by name, in bounded
// memory, and finds the address that an attempt comes from.
package throttle

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Limit lets a number of attempts through at once, and after that one in
// every interval.
type Limit struct {
	Name  string // whose attempts are counted, such as "address 203.0.113.7"
	Burst int
	Every time.Duration
}

// A Throttle counts the attempts that one process sees. Its methods may be called from many goroutines.
type Throttle struct {
	mu sync.Mutex
	// full holds, for each name, the time at which all of its attempts are
	// there again. A name that is missing has all of them.
	full *simplelru.LRU[string, time.Time]
}

// New returns a Throttle that remembers the given number of names. Beyond that it
// forgets the one whose last attempt is the longest ago.
func New(names int) *Throttle {
	full, err := simplelru.NewLRU[string, time.Time](names, nil)
	if err != nil {
		panic(fmt.Sprintf("throttle: room for %d names: %v", names, err))
	}
	return &Throttle{full: full}
}

// Take takes one attempt from each limit. If one of them has none left it takes
// nothing, and returns how long the caller has to wait. The attempt is taken
// before the work that it allows, so that attempts that run at the same time
// are counted too.
func (t *Throttle) Take(limits ...Limit) (a Attempt, wait time.Duration) {
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

// Len returns how many names are remembered.
func (t *Throttle) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.full.Len()
}

// fullAt returns the time at which the limit has all of its attempts, at least
// now. The caller must hold t.mu.
func (t *Throttle) fullAt(l Limit, now time.Time) time.Time {
	if at, ok := t.full.Peek(l.Name); ok && at.After(now) {
		return at
	}
	return now
}

// next returns the earliest time of the next attempt, where all attempts are
// there again at the time full.
func (l Limit) next(full time.Time) time.Time {
	return full.Add(-time.Duration(l.Burst-1) * l.Every)
}

// An Attempt was taken from a Throttle.
type Attempt struct {
	throttle *Throttle
	limits   []Limit
}

// GiveBack returns an attempt that was no guess, because it succeeded. It must
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
