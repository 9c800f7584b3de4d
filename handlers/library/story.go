package library

import (
	"context"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// Stories plays and downloads storylines.
type Stories struct {
	site  *site.Site
	cards *site.Cards
}

// Show plays the storyline that the video belongs to, from its first scene
// to its last.
func (st *Stories) Show(w http.ResponseWriter, r *http.Request) error {
	t, err := st.site.Task(r)
	if err != nil {
		return err
	}
	scenes, err := st.scenes(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return err
	}
	page := libraryview.Story{ID: t.ID}
	if page.Scenes, err = st.cards.Of(r, scenes); err != nil {
		return err
	}
	return st.site.Draw(w, r, http.StatusOK, "Storyline", func(f part.Frame) templ.Component { return libraryview.ShowStory(f, page) })
}

// scenes returns the storyline that the video belongs to, the first scene
// first, as far as the viewer may see it and its files are kept.
func (st *Stories) scenes(ctx context.Context, viewer int64, t db.Task) ([]db.Task, error) {
	chain := []db.Task{t}
	alone, err := st.site.Store.Alone(ctx, t)
	if err == nil && !alone {
		chain, err = st.site.Store.Chain(ctx, viewer, t.ID)
	}
	if err != nil {
		return nil, err
	}
	var scenes []db.Task
	for _, t := range chain {
		if t.PlayableFor(viewer) {
			scenes = append(scenes, t)
		}
	}
	return scenes, nil
}
