package watch

import (
	"maps"
	"slices"
	"sync"

	"dailies/db"
)

// A kind is a kind of work with workers of its own, so that copies over a slow
// connection do not delay queries, and stalled create calls delay neither.
type kind int

const (
	sending kind = iota
	asking
	keeping
	kinds
)

// maxWorkers is the number of tasks of each kind that are worked on at the same time.
var maxWorkers = [kinds]int{sending: 64, asking: 64, keeping: 16}

// Calls returns the maximum number of simultaneous calls of a Watcher to the service.
func Calls() int { return maxWorkers[sending] + maxWorkers[asking] }

func kindOf(t db.Task) kind {
	switch t.State {
	case db.Queued:
		return sending
	case db.Success:
		return keeping
	}
	return asking
}

// A workerPool counts the busy workers of each kind and the tasks they work on. Its
// WaitGroup starts the goroutines.
type workerPool struct {
	sync.WaitGroup
	mu    sync.Mutex
	busy  [kinds]int
	held  map[int64]kind // the tasks being worked on
	ended map[int64]bool // tasks whose create call has ended but is not recorded yet
}

// capacity returns how many more tasks of each kind the pool can take.
func (p *workerPool) capacity() db.Capacity {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := func(k kind) int { return maxWorkers[k] - p.busy[k] }
	return db.Capacity{
		Send: free(sending), Ask: free(asking), Keep: free(keeping),
		Held: slices.Collect(maps.Keys(p.held)),
	}
}

// take assigns a worker of the given kind to the task.
func (p *workerPool) take(id int64, k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held, p.ended = map[int64]kind{}, map[int64]bool{}
	}
	p.held[id] = k
	p.busy[k]++
}

// endCall frees the task's worker for other tasks because its create call has ended,
// although the outcome is not recorded yet.
func (p *workerPool) endCall(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended[id] {
		p.ended[id] = true
		p.busy[p.held[id]]--
	}
}

// release removes the task from the pool.
func (p *workerPool) release(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended[id] {
		p.busy[p.held[id]]--
	}
	delete(p.held, id)
	delete(p.ended, id)
}
