package handlers

import (
	"net/http"

	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
)

// shownLatest is how many cards stand beside the form.
const shownLatest = 8

// showLatest is the list beside the form, refreshed while something runs.
func (a *App) showLatest(w http.ResponseWriter, r *http.Request) error {
	latest, err := a.latest(r)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.LatestPart(latest))
}

func (a *App) latest(r *http.Request) (createview.Latest, error) {
	tasks, err := a.Store.LatestTasks(r.Context(), site.Me(r).ID, shownLatest)
	if err != nil {
		return createview.Latest{}, err
	}
	cards, err := a.cards.Of(r, tasks)
	return createview.Latest{Cards: cards}, err
}
