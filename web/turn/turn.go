// Package turn decides whose turn it is where many people want the same few
// places, so that nobody who wants a lot keeps the others waiting.
package turn

import (
	"context"
	"slices"
	"sync"
)

// A Key names something that may hold only Max places at one time, such as a
// person or a host. A key always comes with the same Max.
type Key struct {
	Name string
	Max  int
}

// A Line hands out places. Those who wait are served in the order in which they
// came, except that somebody whose key holds all it may is passed over until it
// holds less. Its methods may be called from many goroutines.
type Line struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // places by key; a key that holds none is not in it
	waiting []*waiter
}

type waiter struct {
	keys  []Key
	ready chan struct{} // closed when the place is the waiter's
}

// New returns a line for so many places.
func New(places int) *Line { return &Line{free: places, held: map[string]int{}} }

// Take waits for a place, at most until ctx is done, and returns the function
// that gives it back, which may be called more than once.
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
	if at < 0 { // served at the same moment
		leave()
	}
	return nil, ctx.Err()
}

// Waiting returns how many wait for a place with the key.
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

// serve gives the free places to those who wait. The caller must hold l.mu.
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
