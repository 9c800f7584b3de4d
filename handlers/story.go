package handlers

import (
	"context"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// showStory plays the storyline that the video belongs to, from its first scene
// to its last.
func (a *App) showStory(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Task(r)
	if err != nil {
		return err
	}
	scenes, err := a.story(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return err
	}
	page := libraryview.Story{ID: t.ID}
	if page.Scenes, err = a.cards.Of(r, scenes); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Storyline")
	if err != nil {
		return err
	}
	show := libraryview.ShowStory(f, page)
	return web.Page(w, r, show, show)
}

// story is the storyline that the video belongs to, the first scene first, as
// far as the viewer may see it and there is something to play.
func (a *App) story(ctx context.Context, viewer int64, t db.Task) ([]db.Task, error) {
	chain := []db.Task{t}
	alone, err := a.Store.Alone(ctx, t)
	if err == nil && !alone {
		chain, err = a.Store.Chain(ctx, viewer, t.ID)
	}
	if err != nil {
		return nil, err
	}
	var scenes []db.Task
	for _, t := range chain {
		if site.Playable(t, viewer) {
			scenes = append(scenes, t)
		}
	}
	return scenes, nil
}
