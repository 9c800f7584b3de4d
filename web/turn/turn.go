// Package turn implements a fair semaphore: it limits how many goroutines do something
// at the same time, and how many of them on behalf of the same user or host. Callers of
// different lanes do not wait behind each other.
package turn

import (
	"context"
	"slices"
	"sync"
)

// A Key names a user, host or the like that may hold at most Max places at a time. A
// name must always be used with the same Max.
type Key struct {
	Name string
	Max  int
}

// A Semaphore has a number of places. Callers with different first keys take turns in
// getting free places, however many callers wait with one of them; callers with the same
// first key get them in the order of their arrival. A caller is skipped as long as one of
// its keys holds its maximum. If the semaphore has several lanes, these take turns too.
// Its methods may be called concurrently.
type Semaphore struct {
	mu    sync.Mutex
	free  int
	held  map[string]int // places held by each key's name; those without are absent
	lanes [][]*waiter    // who waits, in the order in which they get places
	next  int            // index of the lane whose turn it is
	round int            // the highest round in which somebody got a place
}

// In each round, one caller with each first key gets a place.
type waiter struct {
	keys  []Key
	round int
	ready chan struct{} // closed when the waiter has got its place
}

// first returns the name of the first key, empty if there is none.
func (w *waiter) first() string {
	if len(w.keys) == 0 {
		return ""
	}
	return w.keys[0].Name
}

// New returns a Semaphore with the number of places, and one lane.
func New(places int) *Semaphore { return NewLanes(places, 1) }

// NewLanes returns a Semaphore with the number of places, which are shared by lanes 0 to
// lanes-1.
func NewLanes(places, lanes int) *Semaphore {
	return &Semaphore{free: places, held: map[string]int{}, lanes: make([][]*waiter, lanes)}
}

// Take waits in lane 0 for a place until ctx is done. It returns the function that gives
// the place back, which may be called more than once.
func (s *Semaphore) Take(ctx context.Context, keys ...Key) (leave func(), err error) {
	return s.TakeIn(ctx, 0, keys...)
}

// TakeIn is like Take, in the given lane.
func (s *Semaphore) TakeIn(ctx context.Context, lane int, keys ...Key) (leave func(), err error) {
	w := &waiter{keys: keys, ready: make(chan struct{})}
	s.mu.Lock()
	s.join(lane, w)
	s.serve()
	s.mu.Unlock()
	leave = sync.OnceFunc(func() { s.leave(keys) })
	select {
	case <-w.ready:
		return leave, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at := slices.Index(s.lanes[lane], w)
	if at >= 0 {
		s.lanes[lane] = slices.Delete(s.lanes[lane], at, at+1)
	}
	s.mu.Unlock()
	if at < 0 { // it got a place at the same moment
		leave()
	}
	return nil, ctx.Err()
}

// join adds a waiter to the lane, one round after the last with the same first key. The
// caller must hold s.mu.
func (s *Semaphore) join(lane int, w *waiter) {
	line := s.lanes[lane]
	w.round = s.round
	for _, other := range line {
		if other.first() == w.first() {
			w.round = max(w.round, other.round+1)
		}
	}
	at := slices.IndexFunc(line, func(other *waiter) bool { return other.round > w.round })
	if at < 0 {
		at = len(line)
	}
	s.lanes[lane] = slices.Insert(line, at, w)
}

// Waiting returns how many callers are waiting for a place with the key.
func (s *Semaphore) Waiting(k Key) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lane := range s.lanes {
		for _, w := range lane {
			if slices.Contains(w.keys, k) {
				n++
			}
		}
	}
	return n
}

// Lines returns how many callers are waiting in each lane.
func (s *Semaphore) Lines() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]int, len(s.lanes))
	for i, lane := range s.lanes {
		lines[i] = len(lane)
	}
	return lines
}

func (s *Semaphore) leave(keys []Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	for _, k := range keys {
		if s.held[k.Name]--; s.held[k.Name] <= 0 {
			delete(s.held, k.Name)
		}
	}
	s.serve()
}

// serve gives the free places to waiting callers. The caller must hold s.mu.
func (s *Semaphore) serve() {
	for idle := 0; s.free > 0 && idle < len(s.lanes); idle++ {
		lane := s.next
		s.next = (s.next + 1) % len(s.lanes)
		if s.serveLane(lane) {
			idle = -1
		}
	}
}

// serveLane gives a free place to the first caller in the lane whose keys allow it, and
// reports whether there was one. The caller must hold s.mu.
func (s *Semaphore) serveLane(lane int) bool {
	at := slices.IndexFunc(s.lanes[lane], func(w *waiter) bool {
		return !slices.ContainsFunc(w.keys, func(k Key) bool { return s.held[k.Name] >= k.Max })
	})
	if at < 0 {
		return false
	}
	w := s.lanes[lane][at]
	s.lanes[lane] = slices.Delete(s.lanes[lane], at, at+1)
	s.free--
	s.round = max(s.round, w.round)
	for _, k := range w.keys {
		s.held[k.Name]++
	}
	close(w.ready)
	return true
}
