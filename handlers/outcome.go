package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web"
)

// addTask writes the task down and gives the watcher a moment to send it.
func (a *App) addTask(ctx context.Context, t db.Task) (db.Task, error) {
	tasks, err := a.addTasks(ctx, []db.Task{t})
	if err != nil {
		return t, err
	}
	return tasks[0], nil
}

// addTasks is addTask for the tasks of one press: all are written down, or
// none.
func (a *App) addTasks(ctx context.Context, tasks []db.Task) ([]db.Task, error) {
	quoted := a.price(ctx, tasks[0]).Credits // variations cost the same
	for i := range tasks {
		tasks[i].Quoted = quoted
	}
	bell, takeDown := a.bells.hang(tasks)
	defer takeDown()
	tasks, err := a.Store.AddTasks(ctx, tasks)
	if err != nil {
		return nil, err
	}
	a.Wake()
	// From here on the videos are made: nothing below may answer otherwise, or
	// the person presses again and pays twice.
	a.keepScene(ctx, tasks[0].UserID, tasks[0].Scene)
	a.outcome(ctx, tasks, bell)
	return tasks, nil
}

// keepScene remembers the scene that the person used last.
func (a *App) keepScene(ctx context.Context, userID int64, scene string) {
	if v, ok := site.ViewerIn(ctx); ok && v.User.ID == userID && v.User.LastScene == scene {
		return // a write that changes nothing holds up those that do
	}
	if err := a.Store.SetLastScene(ctx, userID, scene); err != nil && ctx.Err() == nil {
		a.Log.Error("cannot remember the last used scene", "user", userID, "err", err)
	}
}

// How long the form's answer waits for the service's. The bell says when the
// watcher of this process has one; now and then it looks into the database, as
// the watcher may be another process.
const (
	outcomeWait = 2 * time.Second
	outcomeLook = 250 * time.Millisecond
)

// Settled tells the app that the watcher took the task a step further. It never
// blocks.
func (a *App) Settled(t db.Task) { a.bells.ring(t) }

// outcome waits until the service has taken one of the tasks or refused them
// all, or the time is up. They go out one after another.
func (a *App) outcome(ctx context.Context, tasks []db.Task, bell <-chan struct{}) {
	deadline := time.NewTimer(outcomeWait)
	defer deadline.Stop()
	look := time.NewTicker(outcomeLook)
	defer look.Stop()
	for i := range tasks {
		for unanswered(tasks[i]) {
			select {
			case <-ctx.Done():
				return
			case <-deadline.C:
				return
			case <-bell:
			case <-look.C:
			}
			now, err := a.Store.Task(ctx, tasks[i].ID)
			if err != nil {
				if ctx.Err() == nil {
					a.Log.Error("cannot see what became of a press", "task", tasks[i].ID, "err", err)
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

// unanswered reports whether the create call may be answered soon.
func unanswered(t db.Task) bool {
	return t.State == db.Queued && t.Attempts == 0 || t.State == db.Sending
}

// answerCreate leads back to the form, where the videos' cards are; or says why
// the service took none of them.
func (a *App) answerCreate(w http.ResponseWriter, r *http.Request, form createForm, tasks []db.Task) error {
	first := tasks[0]
	if allRejected(tasks) {
		// It is told here and now; a card beside the form would tell it twice.
		for _, t := range tasks {
			a.toldOf(r, t)
		}
		form.Refused = &first
		errs := part.Errors{"": part.Why(first) + " " + part.NothingPaid(len(tasks))}
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	a.dropDraft(r, draftName(first.UserID, first.Scene))
	a.Sent(w, r)
	use := ""
	if first.Private { // so is the next one, unless the person says otherwise
		use = "&use=" + string(db.Copied)
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d%s#latest", first.Scene, first.ID, use))
}

// toldOf keeps the refused video from the list, where it would be told a second
// time. That is better than not to tell it at all, so an error is no answer.
func (a *App) toldOf(r *http.Request, t db.Task) {
	if _, err := a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.Decide(db.Now()) }); err != nil {
		a.Log.Error("cannot put a refused video aside", "id", web.RequestID(r.Context()), "task", t.ID, "err", err)
	}
}

// unwritten answers a press whose videos could not be written down, as on a
// full disk. The page that it is shown on has everything that was typed.
func (a *App) unwritten(r *http.Request, err error) (part.Errors, error) {
	if r.Context().Err() != nil || errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	a.Log.Error("cannot write down what is to be made", "id", web.RequestID(r.Context()), "err", err)
	return part.Errors{"": part.Unwritten()}, nil
}

func allRejected(tasks []db.Task) bool {
	for _, t := range tasks {
		if t.State != db.Rejected {
			return false
		}
	}
	return true
}
