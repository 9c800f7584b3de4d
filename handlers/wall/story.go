package wall

import (
	"context"
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/site"
)

// A storyline is a chain of videos as far as the viewer may see them and their files are
// stored here.
type storyline struct {
	Scenes []db.Task // in order
	Out    []db.Task // those that were left out
	Cuts   map[int64]gallery.Cut
}

// NamedStoryline returns the video in the path and its storyline.
func (h *Lists) NamedStoryline(r *http.Request) (db.Task, storyline, error) {
	t, err := h.named.Task(r)
	if err != nil {
		return t, storyline{}, err
	}
	line, err := h.Storyline(r.Context(), site.Me(r).ID, t)
	return t, line, err
}

// Storyline returns the storyline to which the video belongs.
func (h *Lists) Storyline(ctx context.Context, viewer int64, t db.Task) (storyline, error) {
	chain := []db.Task{t}
	alone, err := h.lineage.Alone(ctx, t)
	if err == nil && !alone {
		chain, err = h.lineage.Chain(ctx, viewer, t.ID)
	}
	if err != nil {
		return storyline{}, err
	}
	var ids []int64
	for _, t := range chain {
		ids = append(ids, t.ID)
	}
	line := storyline{}
	if line.Cuts, err = h.lineage.Cuts(ctx, ids); err != nil {
		return storyline{}, err
	}
	for _, t := range chain {
		switch {
		case !t.PlayableFor(viewer):
		case line.Cuts[t.ID].Out:
			line.Out = append(line.Out, t)
		default:
			line.Scenes = append(line.Scenes, t)
		}
	}
	return line, nil
}
