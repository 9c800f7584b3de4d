package create

import (
	"net/http"

	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
)

// shownLatest is how many cards stand beside the form.
const shownLatest = 8

// Latest shows the list beside the form, refreshed while something runs.
func (fs *Forms) Latest(w http.ResponseWriter, r *http.Request) error {
	latest, err := fs.latest(r)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.LatestPart(latest))
}

func (fs *Forms) latest(r *http.Request) (createview.Latest, error) {
	tasks, err := fs.Store.LatestTasks(r.Context(), site.Me(r).ID, shownLatest)
	if err != nil {
		return createview.Latest{}, err
	}
	cards, err := fs.cards.Of(r, tasks)
	return createview.Latest{Cards: cards}, err
}
