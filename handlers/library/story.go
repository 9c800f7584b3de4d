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
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// StoryHandlers holds the handlers of storylines.
type StoryHandlers struct {
	Stories        *Stories
	StoryDownloads *StoryDownloads
}

// NewStories returns the handlers.
func NewStories(s *site.Site, cards *site.Cards, lists *Lists, links *Links) *StoryHandlers {
	reels := &reels{log: s.Log, media: s.Media, scenes: lists.Scenes, settings: s.Store.Settings}
	return &StoryHandlers{
		Stories:        &Stories{cards: cards, lineage: s.Store.Lineage, links: links, pages: s.Pages, reels: reels},
		StoryDownloads: &StoryDownloads{log: s.Log, media: s.Media, reels: reels, scenes: lists.Scenes},
	}
}

// Stories plays and edits storylines. A storyline is a chain of videos, its scenes, in
// which each continues the one before.
type Stories struct {
	cards   *site.Cards
	lineage *video.Lineage
	links   *Links
	pages   *site.Pages
	reels   *reels
}

// StoryDownloads sends storylines, as a film or as an archive.
type StoryDownloads struct {
	log    *slog.Logger
	media  *media.Store
	reels  *reels
	scenes *SceneFinder
}

// reels opens the files of storylines.
type reels struct {
	log      *slog.Logger
	media    *media.Store
	scenes   *SceneFinder
	settings *people.Settings
}

// SceneFinder finds the scenes of storylines.
type SceneFinder struct {
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
	page := libraryview.Story{ID: reel.id, Film: reel.film()}
	for to, scenes := range map[*[]libraryview.Scene][]scene{&page.Scenes: reel.scenes, &page.Out: reel.out} {
		var tasks []db.Task
		for _, s := range scenes {
			tasks = append(tasks, s.Task)
		}
		cards, err := h.cards.Of(r, tasks)
		if err != nil {
			return err
		}
		if err := h.cards.FillCast(r.Context(), cards); err != nil {
			return err
		}
		for i, card := range cards {
			*to = append(*to, scenes[i].view(card))
		}
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
	for _, s := range reel.scenes {
		cuts = append(cuts, gallery.Cut{TaskID: s.ID, Start: s.cut.From, Finish: s.finish()})
	}
	for _, s := range reel.out {
		cuts = append(cuts, gallery.Cut{TaskID: s.ID, Start: s.cut.From, Finish: s.finish(), Out: true})
	}
	if err := h.lineage.SetCuts(r.Context(), cuts); err != nil {
		return err
	}
	film := reel.film()
	film.Notes = notes
	return web.Part(w, r, http.StatusOK, libraryview.DownloadFilm(film), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.SeeOther(w, r, fmt.Sprintf("/story/%d", reel.id), format.Sentences(append([]string{site.Saved}, notes...)...))
	})
}

// A storyline is a chain of videos as far as the viewer may see them and their files are
// stored here.
type storyline struct {
	Scenes []db.Task // in order
	Out    []db.Task // those that were left out
	Cuts   map[int64]gallery.Cut
}

// NamedIn returns the video in the path and its storyline.
func (f *SceneFinder) NamedIn(r *http.Request) (db.Task, storyline, error) {
	t, err := f.named.Task(r)
	if err != nil {
		return t, storyline{}, err
	}
	line, err := f.Of(r.Context(), site.Me(r).ID, t)
	return t, line, err
}

// Of returns the storyline to which the video belongs.
func (f *SceneFinder) Of(ctx context.Context, viewer int64, t db.Task) (storyline, error) {
	chain := []db.Task{t}
	alone, err := f.lineage.Alone(ctx, t)
	if err == nil && !alone {
		chain, err = f.lineage.Chain(ctx, viewer, t.ID)
	}
	if err != nil {
		return storyline{}, err
	}
	var ids []int64
	for _, t := range chain {
		ids = append(ids, t.ID)
	}
	line := storyline{}
	if line.Cuts, err = f.lineage.Cuts(ctx, ids); err != nil {
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
