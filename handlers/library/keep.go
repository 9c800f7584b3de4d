package library

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
)

// Keep tries again to save a video whose link had expired or whose file was lost here.
// If the service is still to be asked for a link, it is asked at once.
func (h *Tasks) Keep(w http.ResponseWriter, r *http.Request) error {
	t, err := h.page.finder.named.OwnTask(r)
	if err != nil {
		return err
	}
	if t = h.stored.Check(r.Context(), t); t.Keeping == db.Kept {
		return h.page.pages.BackTo(w, r, site.TaskPath(t.ID), site.Saved)
	}
	if _, err := h.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.KeepAgain(db.Now()) }); err != nil {
		return err
	}
	h.wake()
	return web.SeeOther(w, r, site.TaskPath(t.ID))
}
