package form

import (
	"net/http"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// shownLatest is the number of videos in the filmstrip.
const shownLatest = 12

// Latest shows the newest videos beside the form: a large one, the stage, above a row
// of thumbnails, the filmstrip.
type Latest struct {
	cards   *site.Cards
	named   *site.Named
	tasks   *video.Tasks
	Watches *site.Watches
}

// Show shows the newest videos. The page reloads them while a video is running.
func (h *Latest) Show(w http.ResponseWriter, r *http.Request) error {
	watch, err := h.Watches.Own(r)
	if err != nil {
		return err
	}
	if watch.IsSeen(r) {
		return web.NothingNew(w)
	}
	latest, err := h.at(r, watch, videoapi.Scene(r.FormValue("scene")))
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.LatestPart(latest))
}

// Of returns the viewer's newest videos for the page of the scene. The query
// parameter "take" may name the video on the stage.
func (h *Latest) Of(r *http.Request, scene videoapi.Scene) (createview.Latest, error) {
	watch, err := h.Watches.Own(r)
	if err != nil {
		return createview.Latest{}, err
	}
	return h.Whole(r, watch, scene)
}

// Whole is like of for a handler that has the Watch.
func (h *Latest) Whole(r *http.Request, watch site.Watch, scene videoapi.Scene) (createview.Latest, error) {
	latest, err := h.at(r, watch, scene)
	if err != nil || len(latest.Cards) < shownLatest || latest.HasFinished() {
		return latest, err
	}
	// Too many are running for the list to have the last finished video. Later refreshes
	// say in their address which it is.
	latest.Behind, err = h.tasks.LastThumb(r.Context(), site.Me(r).ID)
	return latest, err
}

// at returns the newest videos for a refresh, which makes no query that is not needed.
func (h *Latest) at(r *http.Request, watch site.Watch, scene videoapi.Scene) (createview.Latest, error) {
	u := site.Me(r)
	if !scene.Valid() {
		scene = HomeScene(u)
	}
	latest := createview.Latest{Scene: scene, Now: db.Now(), Take: site.ParseID(r.URL.Query().Get("take")), Watched: r.URL.Query().Has("watched"), Behind: site.ParseID(r.URL.Query().Get("behind"))}
	tasks, err := h.tasks.LatestTasks(r.Context(), u.ID, shownLatest)
	if err != nil {
		return latest, err
	}
	latest.Cards, err = h.cards.At(r, watch.Versions, tasks)
	latest.Seen = watch.Seen(latest.Cards, latest.Prices(), latest.Until())
	return latest, err
}

// Hide removes a failed video from the page for good.
func (h *Latest) Hide(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	scene := videoapi.Scene(r.PostFormValue("scene"))
	if !scene.Valid() {
		scene = HomeScene(site.Me(r))
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
	latest, err := h.Of(r, scene)
	if err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, createview.LatestPart(latest), func(w http.ResponseWriter, r *http.Request) error {
		return web.SeeOther(w, r, part.ScenePath(scene)+"#latest")
	})
}

// HomeScene returns the scene that the user used last.
func HomeScene(u db.User) videoapi.Scene {
	if scene := videoapi.Scene(u.LastScene); scene.Valid() {
		return scene
	}
	return videoapi.TextToVideo
}
