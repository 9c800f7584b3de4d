// Package story serves storylines: the scenes of a film in their order, and that film.
package story

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"

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
	"dailies/web"
)

// Story is the room of storylines. A storyline is a chain of videos, its scenes, in which each
// continues the one before.
type Story struct {
	cards    *site.Cards
	guard    *site.Guard
	lineage  *video.Lineage
	links    *share.Links
	lists    *wall.Lists
	log      *slog.Logger
	media    *media.Store
	pages    *site.Pages
	settings *people.Settings
}

// New returns the room.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, links *share.Links) *Story {
	return &Story{
		cards: cards, guard: s.Guard, lineage: s.Store.Lineage, links: links, lists: lists, log: s.Log,
		media: s.Media, pages: s.Pages, settings: s.Store.Settings,
	}
}

// Routes returns the room's rows.
func (h *Story) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /story/{id}", signedIn, h.Show, site.ForViewers).At("{film}").Gets(200, "{done}").OwnerGets(200, "{failed}").
			Gets(404, "x"),
		site.On("POST /story/{id}", maker, h.Save, site.ForMakers).At("{film}").Gets(404, "{done}", "{failed}"), // the video has no file
		site.On("GET /story/{id}/film", signedIn, h.Film, site.ForViewers).At("{film}").Gets(404, "{done}", "{failed}"),
		site.On("GET /story/{id}/download", signedIn, h.Archive, site.ForViewers).At("{film}").Gets(404, "{done}"), // the video has no file
		site.On("GET /story/{id}/share", signedIn, h.links.Show(h.shareable), site.ForViewers).At("{film}").Gets(200, "{done}").
			OwnerGets(200, "{failed}"),
		site.On("POST /story/{id}/share", maker, h.links.Make(h.shareable), site.ForMakers).Sends("{film}", "title=A+boat&days=30&after=0").
			Gets(409, "{done}").OwnerGets(409, "{failed}"), // the video has no file
	}
}

// Show plays the storyline to which the video belongs, from its first scene to its
// last.
func (h *Story) Show(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.openReel(r)
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
	return h.pages.Draw(w, r, http.StatusOK, "Storyline", libraryview.ShowStory(page))
}

// Save stores the order of the scenes and the cuts from the form.
func (h *Story) Save(w http.ResponseWriter, r *http.Request) error {
	reel, err := h.openReel(r)
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

// shareable returns the storyline of the video in the path, which a link shows as it is at the
// time of each visit. A link is made for the oldest of its scenes that the whole team sees, from
// whichever page.
func (h *Story) shareable(r *http.Request) (share.Shareable, error) {
	t, line, err := h.lists.NamedStoryline(r)
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
