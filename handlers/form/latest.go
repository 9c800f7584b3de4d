package form

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// shownLatest is the number of videos in the filmstrip, a row of thumbnails below the stage,
// where one is shown large.
const shownLatest = 12

// Latest returns the viewer's newest videos for the page of the scene. The query
// parameter "take" may name the video on the stage.
func (h *Making) Latest(r *http.Request, scene videoapi.Scene) (createview.Latest, error) {
	watch, err := h.listVersions.Own(r)
	if err != nil {
		return createview.Latest{}, err
	}
	return h.LatestFor(r, watch, scene)
}

// LatestFor is like Latest for a handler that has the Watch.
func (h *Making) LatestFor(r *http.Request, watch site.ListVersion, scene videoapi.Scene) (createview.Latest, error) {
	latest, err := h.RefreshLatest(r, watch, scene)
	if err != nil || len(latest.Cards) < shownLatest || latest.HasFinished() {
		return latest, err
	}
	// Too many are running for the list to have the last finished video. Later refreshes
	// say in their address which it is.
	latest.Behind, err = h.tasks.LastThumb(r.Context(), site.Me(r).ID)
	return latest, err
}

// RefreshLatest returns the newest videos for a refresh, which makes no query that is not needed.
func (h *Making) RefreshLatest(r *http.Request, watch site.ListVersion, scene videoapi.Scene) (createview.Latest, error) {
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
