package handlers

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
)

// keepTask tries once more to save a video whose link had expired, or whose file
// was lost here, or asks at once where one is.
func (a *App) keepTask(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Task(r)
	if err != nil {
		return err
	}
	if t.UserID != site.Me(r).ID {
		return web.NotFound()
	}
	if t = a.lookAfter(r.Context(), t); t.Keeping == db.Kept {
		return a.BackTo(w, r, site.TaskPath(t.ID), "The video is kept here.")
	}
	if _, err := a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.KeepAgain(db.Now()) }); err != nil {
		return err
	}
	a.Wake()
	return web.SeeOther(w, r, site.TaskPath(t.ID))
}
