// Package turn implements a fair semaphore: it limits how many goroutines do something
// at the same time, and how many of them on behalf of the same user or host.
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

// A Semaphore has a number of places. It gives free places to waiting callers in
// the order of their arrival, but skips a caller as long as one of its keys holds its
// maximum. Its methods may be called concurrently.
type Semaphore struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // places held by each key's name; those without are absent
	waiting []*waiter
}

type waiter struct {
	keys  []Key
	ready chan struct{} // closed when the waiter has got its place
}

// New returns a Semaphore with the number of places.
func New(places int) *Semaphore { return &Semaphore{free: places, held: map[string]int{}} }

// Take waits for a place until ctx is done. It returns the function that gives the place
// back, which may be called more than once.
func (s *Semaphore) Take(ctx context.Context, keys ...Key) (leave func(), err error) {
	w := &waiter{keys: keys, ready: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.serve()
	s.mu.Unlock()
	leave = sync.OnceFunc(func() { s.leave(keys) })
	select {
	case <-w.ready:
		return leave, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at := slices.Index(s.waiting, w)
	if at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
	s.mu.Unlock()
	if at < 0 { // it got a place at the same moment
		leave()
	}
	return nil, ctx.Err()
}

// Waiting returns how many callers are waiting for a place with the key.
func (s *Semaphore) Waiting(k Key) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waiting {
		if slices.Contains(w.keys, k) {
			n++
		}
	}
	return n
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
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool {
		if s.free == 0 || slices.ContainsFunc(w.keys, func(k Key) bool { return s.held[k.Name] >= k.Max }) {
			return false
		}
		s.free--
		for _, k := range w.keys {
			s.held[k.Name]++
		}
		close(w.ready)
		return true
	})
}
