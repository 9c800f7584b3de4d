package watch

import (
	"maps"
	"slices"
	"sync"

	"dailies/db"
	"dailies/db/schedule"
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
var maxWorkers = [kinds]int{sending: 64, asking: 64, keeping: 32}

// reservedCopies is how many of the workers for copies only serve people for whom no
// other file is being copied.
const reservedCopies = 8

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
	hosts hostTable

	copies map[int64]schedule.CopyJob // the held tasks whose files are being copied
}

// capacity returns how many more tasks of each kind the pool can take.
func (p *workerPool) capacity() schedule.Capacity {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := func(k kind) int { return maxWorkers[k] - p.busy[k] }
	return schedule.Capacity{
		Send: free(sending), Ask: free(asking), Keep: free(keeping),
		Copies: p.copyRoom(), Held: slices.Collect(maps.Keys(p.held)),
	}
}

// copyRoom counts the copies in progress. The caller must hold p.mu.
func (p *workerPool) copyRoom() schedule.CopyRoom {
	r := schedule.CopyRoom{Makers: map[int64]int{}, Hosts: map[string]int{}, Most: p.hosts.limits(), Reserved: reservedCopies}
	for _, j := range p.copies {
		r.Makers[j.UserID]++
		r.Hosts[j.Host]++
	}
	return r
}

// takeTask assigns a worker to the task, which was claimed.
func (p *workerPool) takeTask(t db.Task) {
	p.take(t.ID, kindOf(t))
	if kindOf(t) == keeping {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.copies[t.ID] = schedule.CopyJob{TaskID: t.ID, UserID: t.UserID, Host: t.CopyHost()}
	}
}

// take assigns a worker of the given kind to the task.
func (p *workerPool) take(id int64, k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held, p.ended, p.copies = map[int64]kind{}, map[int64]bool{}, map[int64]schedule.CopyJob{}
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
	delete(p.copies, id)
}
