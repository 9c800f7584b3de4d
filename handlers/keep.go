package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/web"
)

// keepTask tries once more to save a video whose link had expired, or asks at
// once where one is.
func (a *App) keepTask(w http.ResponseWriter, r *http.Request) error {
	t, err := a.task(r)
	if err != nil {
		return err
	}
	if t.UserID != me(r).ID {
		return web.NotFound()
	}
	if _, err := a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.KeepAgain(db.Now()) }); err != nil {
		return err
	}
	a.Wake()
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", t.ID))
}
