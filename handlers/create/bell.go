package create

import (
	"sync"

	"dailies/db"
)

// bells wake the requests that wait for the outcomes of submitted tasks. They are
// keyed by the tasks' form tokens, because these are known before the tasks are
// stored, so that no outcome can be missed.
type bells struct {
	mu sync.Mutex
	of map[string][]chan struct{}
}

// hang registers a bell, which receives whenever one of the tasks has taken a step,
// until takeDown is called.
func (b *bells) hang(tasks []db.Task) (bell <-chan struct{}, takeDown func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[string][]chan struct{}{}
	}
	own := make(chan struct{}, 1)
	for _, t := range tasks {
		b.of[t.FormToken] = append(b.of[t.FormToken], own)
	}
	return own, func() { b.takeDown(tasks, own) }
}

// hasWaiters reports whether any request is waiting.
func (b *bells) hasWaiters() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.of) > 0
}

func (b *bells) takeDown(tasks []db.Task, own chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range tasks {
		var rest []chan struct{}
		for _, c := range b.of[t.FormToken] {
			if c != own {
				rest = append(rest, c)
			}
		}
		if b.of[t.FormToken] = rest; rest == nil {
			delete(b.of, t.FormToken)
		}
	}
}

// ring wakes the requests that wait for the task. It never blocks.
func (b *bells) ring(t db.Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.of[t.FormToken] {
		select {
		case c <- struct{}{}:
		default: // a signal is already pending
		}
	}
}
