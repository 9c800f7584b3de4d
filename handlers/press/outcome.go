package press

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"dailies/db"
	"dailies/web"
)

// How long the response to a submission waits for the service's answer. Waiters are
// notified when this process's watcher, or another process, has recorded an answer.
// The database is also read every outcomeLook, because such signals can get lost.
var (
	outcomeWait = 2 * time.Second
	outcomeLook = 250 * time.Millisecond
)

// Settled tells the Press that the watcher has taken a step of the task. It never
// blocks.
func (p *Press) Settled(t db.Task) { p.waiters.notify(t) }

// Answered tells the Press that another process has recorded the outcome of the
// create call of the task with the ID.
func (p *Press) Answered(ctx context.Context, id int64) {
	if !p.waiters.any() {
		return
	}
	t, err := p.store.Tasks.Task(ctx, id)
	if err == nil {
		p.waiters.notify(t)
	} else if ctx.Err() == nil {
		p.log.Error("cannot see what became of a video that another process sent", "task", id, "err", err)
	}
}

// await waits until the service has accepted one of the tasks or refused them all,
// but at most outcomeWait, and updates the tasks. They are sent one after another. Where
// nobody sends tasks, nothing is worth waiting for.
func (p *Press) await(ctx context.Context, tasks []db.Task, answers <-chan struct{}) {
	if p.sends != nil && !p.sends() {
		return
	}
	deadline := time.NewTimer(outcomeWait)
	defer deadline.Stop()
	look := time.NewTicker(outcomeLook)
	defer look.Stop()
	for i := range tasks {
		for tasks[i].State.Unanswered(tasks[i].Attempts) {
			select {
			case <-ctx.Done():
				return
			case <-deadline.C:
				return
			case <-answers:
			case <-look.C:
			}
			now, err := p.store.Tasks.Task(ctx, tasks[i].ID)
			if err != nil {
				if ctx.Err() == nil {
					p.log.Error("cannot see what became of a press", "task", tasks[i].ID, "err", err)
				}
				return
			}
			tasks[i] = now
		}
		if tasks[i].State != db.Rejected {
			return
		}
	}
}

// HideRefused reports whether the service has refused all the tasks. In that case the
// response itself reports the refusal, and HideRefused hides the tasks' cards, which
// would repeat it. It only logs an error, because repeating the refusal is better
// than not reporting it.
func (p *Press) HideRefused(r *http.Request, tasks []db.Task) bool {
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State != db.Rejected }) {
		return false
	}
	for _, t := range tasks {
		if _, err := p.store.Tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.Decide(db.Now()) }); err != nil {
			p.log.Error("cannot put a refused video aside", "id", web.RequestID(r.Context()), "task", t.ID, "err", err)
		}
	}
	return true
}

// waiters are the requests that wait for the outcomes of submitted tasks. They are
// keyed by the tasks' form tokens, because these are known before the tasks are
// stored, so that no outcome can be missed.
type waiters struct {
	mu sync.Mutex
	of map[string][]chan struct{}
}

// add adds a waiter, which receives whenever one of the tasks has taken a step, until remove
// is called.
func (w *waiters) add(tasks []db.Task) (answers <-chan struct{}, remove func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string][]chan struct{}{}
	}
	own := make(chan struct{}, 1)
	for _, t := range tasks {
		w.of[t.FormToken] = append(w.of[t.FormToken], own)
	}
	return own, func() { w.remove(tasks, own) }
}

// any reports whether any request is waiting.
func (w *waiters) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.of) > 0
}

func (w *waiters) remove(tasks []db.Task, own chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range tasks {
		var rest []chan struct{}
		for _, c := range w.of[t.FormToken] {
			if c != own {
				rest = append(rest, c)
			}
		}
		if w.of[t.FormToken] = rest; rest == nil {
			delete(w.of, t.FormToken)
		}
	}
}

// notify wakes the requests that wait for the task. It never blocks.
func (w *waiters) notify(t db.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.of[t.FormToken] {
		select {
		case c <- struct{}{}:
		default: // a signal is already pending
		}
	}
}
