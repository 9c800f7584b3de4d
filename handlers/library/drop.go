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

// Drop ends such a video, of which nothing was paid. If the form says so, it leads to the
// form that makes it with the service that the team uses now; nothing is sent by itself.
func (d *Dropping) Drop(w http.ResponseWriter, r *http.Request) error {
	t, err := d.named.OwnTask(r)
	if err != nil {
		return err
	}
	t, err = d.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if !d.desk.IsElsewhere(*t) {
			return fmt.Errorf("task %d is %s, and not of another service: %w", t.ID, t.State, db.ErrConflict)
		}
		return t.Reject(db.NoBlame, switchedOver, db.Now())
	})
	if err != nil {
		return err
	}
	if r.PostFormValue("again") != "" {
		return web.SeeOther(w, r, part.RetryPath(t))
	}
	return d.pages.SeeOther(w, r, site.TaskPath(t.ID), notMade)
}
