package watch

import (
	"maps"
	"slices"
	"sync"

	"dailies/db"
)

// A kind of work has places of its own in the pool, so that copies over a slow
// line hold up no question, and stalled create calls hold up neither.
type kind int

const (
	sending kind = iota
	asking
	keeping
	kinds
)

// places is how many tasks are worked on at the same time, by kind.
var places = [kinds]int{sending: 64, asking: 64, keeping: 16}

// Calls returns how many calls to the service a Watcher makes at the same time.
func Calls() int { return places[sending] + places[asking] }

func kindOf(t db.Task) kind {
	switch t.State {
	case db.Queued:
		return sending
	case db.Success:
		return keeping
	}
	return asking
}

// A workerPool counts the workers of each kind, and knows which tasks they work
// on. It starts no goroutines of its own: the WaitGroup does.
type workerPool struct {
	sync.WaitGroup
	mu    sync.Mutex
	busy  [kinds]int
	held  map[int64]kind // the tasks that are worked on
	ended map[int64]bool // those whose create call is over and not yet written down
}

// capacity returns what the pool can take on.
func (p *workerPool) capacity() db.Capacity {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := func(k kind) int { return places[k] - p.busy[k] }
	return db.Capacity{
		Send: free(sending), Ask: free(asking), Keep: free(keeping),
		Held: slices.Collect(maps.Keys(p.held)),
	}
}

// take gives the task a place.
func (p *workerPool) take(id int64, k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held, p.ended = map[int64]kind{}, map[int64]bool{}
	}
	p.held[id] = k
	p.busy[k]++
}

// endCall notes that the task's create call is over, although its outcome is not
// written down. It frees the task's place.
func (p *workerPool) endCall(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended[id] {
		p.ended[id] = true
		p.busy[p.held[id]]--
	}
}

// release ends the work on the task.
func (p *workerPool) release(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended[id] {
		p.busy[p.held[id]]--
	}
	delete(p.held, id)
	delete(p.ended, id)
}
