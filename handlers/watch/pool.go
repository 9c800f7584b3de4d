package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

// A kind is a kind of work with workers of its own, so that copies over a slow
// connection do not delay queries, and stalled create calls delay neither.
type kind int

const (
	sending kind = iota
	querying
	keeping
	kinds
)

// maxWorkers is the number of tasks of each kind that are worked on at the same time.
var maxWorkers = [kinds]int{sending: 64, querying: 64, keeping: 32}

// reservedCopies is how many of the workers for copies only serve people for whom no
// other file is being copied.
const reservedCopies = 8

// Calls returns the maximum number of simultaneous calls of a Watcher to the service.
func Calls() int { return maxWorkers[sending] + maxWorkers[querying] }

func kindOf(t db.Task) kind {
	switch t.State {
	case db.Queued:
		return sending
	case db.Success:
		return keeping
	}
	return querying
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
		Send: free(sending), Query: free(querying), Keep: free(keeping),
		Copies: p.copyCapacity(), Held: slices.Collect(maps.Keys(p.held)),
	}
}

// copyCapacity counts the copies in progress. The caller must hold p.mu.
func (p *workerPool) copyCapacity() schedule.CopyCapacity {
	c := schedule.CopyCapacity{Makers: map[int64]int{}, Hosts: map[string]int{}, Most: p.hosts.limits(), Reserved: reservedCopies}
	for _, j := range p.copies {
		c.Makers[j.UserID]++
		c.Hosts[j.Host]++
	}
	return c
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

// leaseTime is how long a claim reserves a task for this process. The lease is
// renewed during the work, so it can be short: another process can take over soon
// after this one dies.
const leaseTime = 30 * time.Second

// holdLease renews the task's lease, which lasts until the given time, until ctx
// ends. It calls lost if another process has the task, or may have it because the
// lease expired before the database recorded a renewal.
func (w *Watcher) holdLease(ctx context.Context, id int64, until time.Time, lost func()) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	runsOut := time.NewTimer(time.Until(until))
	defer runsOut.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-runsOut.C:
			if w.Store.IsShared() {
				lost()
				return
			}
		case <-tick.C:
			now, asked := w.Store.Now(), time.Now()
			try, stop := context.WithTimeout(ctx, leaseTime/3)
			err := w.Store.Leases.Renew(try, w.owner, id, now.Add(leaseTime))
			stop()
			if errors.Is(err, db.ErrConflict) {
				lost()
				return
			}
			if err == nil {
				runsOut.Reset(time.Until(asked.Add(leaseTime)))
			}
		}
	}
}

// stoppedEvery is the interval at which settleStopped looks at the processes on the
// database. It is as long as the interval between their heartbeats.
const stoppedEvery = 5 * time.Second

// recordStopped looks for create calls whose process has stopped sending heartbeats. Each
// blocks its key until the process counts as gone, which is logged, because people wait;
// then its video becomes unconfirmed.
func (w *Watcher) recordStopped(ctx context.Context) {
	if !w.Store.IsShared() || time.Since(w.lastStopped) < stoppedEvery && !w.keyIsDue() {
		return
	}
	w.lastStopped = time.Now()
	found, next, err := w.Store.Calls.MarkStopped(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.Log.Error("cannot look for create calls of processes that have stopped", "err", err)
		}
		return
	}
	now := w.Store.Now()
	for _, c := range found {
		if c.FreesAt.After(now) {
			w.Log.Warn("a server stopped while it was sending a video; other videos wait for its key",
				"key", nameOf(c), "task", c.TaskID, "until", c.FreesAt.UTC(), "for", c.FreesAt.Sub(now).Round(time.Second))
		}
	}
	if w.keyFreesAt = next; w.keyIsDue() {
		w.lastUnstick = time.Time{}
		w.unstick(ctx)
		w.keyFreesAt = time.Time{}
	}
}

// keyIsDue reports whether a process that blocks a key counts as gone by now.
func (w *Watcher) keyIsDue() bool {
	return !w.keyFreesAt.IsZero() && !w.keyFreesAt.After(w.Store.Now())
}

// nameOf returns words that identify the key of the call in the log, without the key.
func nameOf(c schedule.Call) string {
	switch {
	case c.KeyName != "":
		return fmt.Sprintf("%s …%s", c.KeyName, c.KeyEnd)
	case c.KeyEnd != "":
		return fmt.Sprintf("%s’s own key …%s", c.Payer, c.KeyEnd)
	}
	return fmt.Sprintf("%s’s earlier own key", c.Payer)
}
