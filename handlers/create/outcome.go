package create

import (
	"context"
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/web"
)

// How long the answer to a press waits for the service's. The bell says when the
// watcher of this process has one, or another process says so; now and then the
// database is read, because what others say may not arrive.
var (
	outcomeWait = 2 * time.Second
	outcomeLook = 250 * time.Millisecond
)

// Settled tells the press that the watcher took the task a step further. It never
// blocks.
func (p *Press) Settled(t db.Task) { p.bells.ring(t) }

// Answered tells the press that the create call of the task with the id has an
// outcome, which another process has written down.
func (p *Press) Answered(ctx context.Context, id int64) {
	if !p.bells.some() {
		return
	}
	t, err := p.Store.Task(ctx, id)
	if err == nil {
		p.bells.ring(t)
	} else if ctx.Err() == nil {
		p.Log.Error("cannot see what became of a video that another process sent", "task", id, "err", err)
	}
}

// await waits until the service has taken one of the tasks or refused them all,
// or the time is up, and reads the tasks anew. They are sent one after another.
func (p *Press) await(ctx context.Context, tasks []db.Task, bell <-chan struct{}) {
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
			case <-bell:
			case <-look.C:
			}
			now, err := p.Store.Task(ctx, tasks[i].ID)
			if err != nil {
				if ctx.Err() == nil {
					p.Log.Error("cannot see what became of a press", "task", tasks[i].ID, "err", err)
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

// setAside reports whether the service has refused all the tasks. Then they are
// told here and now, and put aside: cards beside the form would tell them twice.
// That is better than not to tell them at all, so an error is no answer.
func (p *Press) setAside(r *http.Request, tasks []db.Task) bool {
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State != db.Rejected }) {
		return false
	}
	for _, t := range tasks {
		if _, err := p.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.Decide(db.Now()) }); err != nil {
			p.Log.Error("cannot put a refused video aside", "id", web.RequestID(r.Context()), "task", t.ID, "err", err)
		}
	}
	return true
}
