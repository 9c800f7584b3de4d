// Package story serves storylines: the scenes of a film in their order, and that film.
package story

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/media"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Handlers holds the handlers of storylines.
type Handlers struct {
	Stories        *Stories
	StoryDownloads *StoryDownloads
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, links *share.Links) *Handlers {
	reels := &reels{log: s.Log, media: s.Media, scenes: lists.Scenes, settings: s.Store.Settings}
	return &Handlers{
		Stories:        &Stories{cards: cards, lineage: s.Store.Lineage, links: links, pages: s.Pages, reels: reels},
		StoryDownloads: &StoryDownloads{log: s.Log, media: s.Media, reels: reels, scenes: lists.Scenes},
	}
}

// Stories plays and edits storylines. A storyline is a chain of videos, its scenes, in
// which each continues the one before.
type Stories struct {
	cards   *site.Cards
	lineage *video.Lineage
	links   *share.Links
	pages   *site.Pages
	reels   *reels
}

// StoryDownloads sends storylines, as a film or as an archive.
type StoryDownloads struct {
	log    *slog.Logger
	media  *media.Store
	reels  *reels
	scenes *wall.SceneFinder
}

// reels opens the files of storylines.
type reels struct {
	log      *slog.Logger
	media    *media.Store
	scenes   *wall.SceneFinder
	settings *people.Settings
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

// ShowShare shows the links to the storyline, and makes one.
func (h *Stories) ShowShare(w http.ResponseWriter, r *http.Request) error {
	of, err := h.shareable(r)
	if err != nil {
		return err
	}
	return h.links.Show(w, r, of)
}

// Share makes a link that shows the storyline as it is at the time of each visit.
func (h *Stories) Share(w http.ResponseWriter, r *http.Request) error {
	of, err := h.shareable(r)
	if err != nil {
		return err
	}
	return h.links.Make(w, r, of)
}

// shareable returns the storyline of the video in the path. A link is made for the oldest
// of its scenes that the whole team sees, from whichever page.
func (h *Stories) shareable(r *http.Request) (share.Shareable, error) {
	t, line, err := h.reels.scenes.NamedIn(r)
	of := share.Shareable{Link: gallery.Share{Story: true}, Path: fmt.Sprintf("/story/%d", t.ID)}
	for _, s := range slices.Concat(line.Scenes, line.Out) {
		of.Scenes = append(of.Scenes, s.ID)
	}
	for _, s := range line.Scenes {
		if !s.Private && (!of.Able || s.ID < of.Link.TaskID) {
			of.Able, of.Link.TaskID = true, s.ID
		}
	}
	return of, err
}
