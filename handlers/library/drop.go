package library

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web"
)

// Dropping ends videos that were not sent before the team changed the video service.
type Dropping struct {
	desk  *service.Desk
	named *site.Named
	pages *site.Pages
	tasks *video.Tasks
}

// Drop ends such a video, of which nothing was paid, or all such videos of the same maker.
// If the form says so, it leads to the form that makes the video with the service that the
// team uses now; nothing is sent by itself.
func (d *Dropping) Drop(w http.ResponseWriter, r *http.Request) error {
	t, err := d.named.OwnTask(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("all") != "" {
		return d.dropAll(w, r, t)
	}
	again, ended := r.PostFormValue("again") != "", false
	_, err = d.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if !d.desk.IsElsewhere(*t) {
			ended = t.State == db.Rejected && t.Message == switchedOver
			return notElsewhere(*t)
		}
		return t.Reject(db.NoBlame, switchedOver, db.Now())
	})
	if err != nil && !(again && ended) { // whoever pressed twice comes to the form, too
		return err
	}
	if again {
		return web.SeeOther(w, r, part.RetryPath(t))
	}
	return d.pages.SeeOther(w, r, site.TaskPath(t.ID), notMade)
}

func (d *Dropping) dropAll(w http.ResponseWriter, r *http.Request, t db.Task) error {
	n, err := d.tasks.EndElsewhere(r.Context(), t.UserID, switchedOver, db.Now())
	if err == nil && n == 0 {
		err = notElsewhere(t)
	}
	if err != nil {
		return err
	}
	return d.pages.SeeOther(w, r, site.TaskPath(t.ID), notMadeAll(n))
}

func notElsewhere(t db.Task) error {
	return fmt.Errorf("task %d is %s, and not of another service: %w", t.ID, t.State, db.ErrConflict)
}
