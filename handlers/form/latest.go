package form

import (
	"net/http"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// shownLatest is the number of videos in the filmstrip.
const shownLatest = 12

// Latest shows the newest videos beside the form: a large one, the stage, above a row
// of thumbnails, the filmstrip.
type Latest struct {
	cards   *site.Cards
	tasks   *video.Tasks
	Watches *site.Watches
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
	latest, err := h.At(r, watch, scene)
	if err != nil || len(latest.Cards) < shownLatest || latest.HasFinished() {
		return latest, err
	}
	// Too many are running for the list to have the last finished video. Later refreshes
	// say in their address which it is.
	latest.Behind, err = h.tasks.LastThumb(r.Context(), site.Me(r).ID)
	return latest, err
}

// At returns the newest videos for a refresh, which makes no query that is not needed.
func (h *Latest) At(r *http.Request, watch site.Watch, scene videoapi.Scene) (createview.Latest, error) {
	u := site.Me(r)
	if !scene.Valid() {
		scene = HomeScene(u)
	}
	query := r.URL.Query()
	latest := createview.Latest{
		Scene: scene, Now: db.Now(), Take: site.ParseID(query.Get("take")),
		Watched: query.Has("watched"), Behind: site.ParseID(query.Get("behind")),
	}
	tasks, err := h.tasks.LatestTasks(r.Context(), u.ID, shownLatest)
	if err != nil {
		return latest, err
	}
	latest.Cards, err = h.cards.At(r, watch.Versions, tasks)
	latest.Seen = watch.Seen(latest.Cards, latest.Prices(), latest.Until())
	return latest, err
}

// HomeScene returns the scene that the user used last.
func HomeScene(u db.User) videoapi.Scene {
	if scene := videoapi.Scene(u.LastScene); scene.Valid() {
		return scene
	}
	return videoapi.TextToVideo
}
