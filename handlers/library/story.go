package library

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/media"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Stories plays and edits storylines. A storyline is a chain of videos, its scenes, in
// which each continues the one before.
type Stories struct {
	cards   *site.Cards
	lineage *video.Lineage
	pages   *site.Pages
	reels   *reels
}

// StoryDownloads sends storylines, as a film or as an archive.
type StoryDownloads struct {
	log    *slog.Logger
	media  *media.Store
	reels  *reels
	scenes *sceneFinder
}

// reels opens the files of storylines.
type reels struct {
	lineage *video.Lineage
	log     *slog.Logger
	media   *media.Store
	scenes  *sceneFinder
}

// sceneFinder finds the scenes of storylines.
type sceneFinder struct {
	lineage *video.Lineage
	named   *site.Named
}

// Show plays the storyline to which the video belongs, from its first scene to its
// last.
func (h *Stories) Show(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.reels.open(r)
	if err != nil {
		return err
	}
	defer reel.close()
	cards, err := h.cards.Of(r, reel.scenes)
	if err != nil {
		return err
	}
	page := libraryview.Story{ID: reel.id, Film: reel.film()}
	for i, card := range cards {
		page.Scenes = append(page.Scenes, reel.scene(i, card))
	}
	return h.pages.Draw(w, r, http.StatusOK, "Storyline", func(f part.Frame) templ.Component { return libraryview.ShowStory(f, page) })
}

// Save stores the order of the scenes and the cuts from the form.
func (h *Stories) Save(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.reels.open(r)
	if err != nil {
		return err
	}
	defer reel.close()
	if len(reel.scenes) == 0 {
		return web.NotFound()
	}
	notes := reel.arrange(r)
	var cuts []gallery.Cut
	for i, t := range reel.scenes {
		cuts = append(cuts, gallery.Cut{TaskID: t.ID, Start: reel.cuts[i].From, Finish: reel.finish(i)})
	}
	if err := h.lineage.SetCuts(r.Context(), cuts); err != nil {
		return err
	}
	film := reel.film()
	film.Notes = notes
	return web.Part(w, r, http.StatusOK, libraryview.DownloadFilm(film), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.SeeOther(w, r, fmt.Sprintf("/story/%d", reel.id), format.Sentences(append([]string{"The storyline is saved."}, notes...)...))
	})
}

// namedIn returns the video in the path and the scenes of its storyline.
func (f *sceneFinder) namedIn(r *http.Request) (db.Task, []db.Task, error) {
	t, err := f.named.Task(r)
	if err != nil {
		return t, nil, err
	}
	scenes, err := f.of(r.Context(), site.Me(r).ID, t)
	return t, scenes, err
}

// of returns the videos of the storyline to which the video belongs, in order, as
// far as the viewer may see them and their files are stored here.
func (f *sceneFinder) of(ctx context.Context, viewer int64, t db.Task) ([]db.Task, error) {
	chain := []db.Task{t}
	alone, err := f.lineage.Alone(ctx, t)
	if err == nil && !alone {
		chain, err = f.lineage.Chain(ctx, viewer, t.ID)
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
