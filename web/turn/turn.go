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

// A Line is a queue for a number of places. It gives free places to waiting callers in
// the order of their arrival, but skips a caller as long as one of its keys holds its
// maximum. Its methods may be called concurrently.
type Line struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // places held by each key's name; those without are absent
	waiting []*waiter
}

type waiter struct {
	keys  []Key
	ready chan struct{} // closed when the waiter has got its place
}

// New returns a Line with the number of places.
func New(places int) *Line { return &Line{free: places, held: map[string]int{}} }

// Take waits for a place until ctx is done. It returns the function that gives the place
// back, which may be called more than once.
func (l *Line) Take(ctx context.Context, keys ...Key) (leave func(), err error) {
	w := &waiter{keys: keys, ready: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	l.serve()
	l.mu.Unlock()
	leave = sync.OnceFunc(func() { l.leave(keys) })
	select {
	case <-w.ready:
		return leave, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	at := slices.Index(l.waiting, w)
	if at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
	}
	l.mu.Unlock()
	if at < 0 { // it got a place at the same moment
		leave()
	}
	return nil, ctx.Err()
}

// Waiting returns how many callers are waiting for a place with the key.
func (l *Line) Waiting(k Key) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waiting {
		if slices.Contains(w.keys, k) {
			n++
		}
	}
	return n
}

func (l *Line) leave(keys []Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
	for _, k := range keys {
		if l.held[k.Name]--; l.held[k.Name] <= 0 {
			delete(l.held, k.Name)
		}
	}
	l.serve()
}

// serve gives the free places to waiting callers. The caller must hold l.mu.
func (l *Line) serve() {
	l.waiting = slices.DeleteFunc(l.waiting, func(w *waiter) bool {
		if l.free == 0 || slices.ContainsFunc(w.keys, func(k Key) bool { return l.held[k.Name] >= k.Max }) {
			return false
		}
		l.free--
		for _, k := range w.keys {
			l.held[k.Name]++
		}
		close(w.ready)
		return true
	})
}
