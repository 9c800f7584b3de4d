package handlers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/views"
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
	tasks, err := a.Store.AddTasks(ctx, tasks)
	if err != nil {
		return nil, err
	}
	if err := a.Store.SetLastScene(ctx, tasks[0].UserID, tasks[0].Scene); err != nil {
		return nil, err
	}
	a.Wake()
	return tasks, a.outcome(ctx, tasks)
}

// How long the form's answer waits for the service's. It looks into the
// database, because the watcher may be another process.
const (
	outcomeWait = 2 * time.Second
	outcomeLook = 25 * time.Millisecond
)

// outcome waits until the service has taken one of the tasks or refused them
// all, or the time is up. They go out one after another.
func (a *App) outcome(ctx context.Context, tasks []db.Task) error {
	deadline := time.NewTimer(outcomeWait)
	defer deadline.Stop()
	look := time.NewTicker(outcomeLook)
	defer look.Stop()
	for i := range tasks {
		for unanswered(tasks[i]) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-deadline.C:
				return nil
			case <-look.C:
			}
			var err error
			if tasks[i], err = a.Store.Task(ctx, tasks[i].ID); err != nil {
				return err
			}
		}
		if tasks[i].State != db.Rejected {
			return nil
		}
	}
	return nil
}

// unanswered reports whether the create call may be answered soon.
func unanswered(t db.Task) bool {
	return t.State == db.Queued && t.Stumbles == 0 || t.State == db.Sending
}

// answerCreate leads back to the form, where the videos' cards are; or says why
// the service took none of them.
func (a *App) answerCreate(w http.ResponseWriter, r *http.Request, form createForm, tasks []db.Task) error {
	first := tasks[0]
	if allRejected(tasks) {
		// It is told here and now; a card beside the form would tell it twice.
		for _, t := range tasks {
			if _, err := a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.Decide(db.Now()) }); err != nil {
				return err
			}
		}
		form.Refused = &first
		errs := views.Errors{"": views.Why(first) + " " + views.NothingPaid(len(tasks))}
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	if err := a.Store.SetSetting(r.Context(), draftName(first.UserID, first.Scene), ""); err != nil {
		return err
	}
	use := ""
	if first.Private { // so is the next one, unless the person says otherwise
		use = "&use=" + string(db.Copied)
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d%s#latest", first.Scene, first.ID, use))
}

func allRejected(tasks []db.Task) bool {
	for _, t := range tasks {
		if t.State != db.Rejected {
			return false
		}
	}
	return true
}
