package create

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/form"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// ShowLatest shows the newest videos. The page reloads them while a video is running.
func (h *Create) ShowLatest(w http.ResponseWriter, r *http.Request) error {
	watch, err := h.listVersions.Own(r)
	if err != nil {
		return err
	}
	if watch.IsSeen(r) {
		return web.NothingNew(w)
	}
	latest, err := h.making.RefreshLatest(r, watch, videoapi.Scene(r.FormValue("scene")))
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.LatestPart(latest))
}

// Hide removes a failed video from the page for good.
func (h *Create) Hide(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	scene := videoapi.Scene(r.PostFormValue("scene"))
	if !scene.Valid() {
		scene = form.HomeScene(site.Me(r))
	}
	_, err = h.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if t.State == db.Unconfirmed { // the user must decide about it first
			return db.ErrConflict
		}
		return t.Decide(db.Now())
	})
	if err != nil {
		return err
	}
	latest, err := h.making.Latest(r, scene)
	if err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, createview.LatestPart(latest), func(w http.ResponseWriter, r *http.Request) error {
		return web.SeeOther(w, r, part.ScenePath(scene)+"#latest")
	})
}
