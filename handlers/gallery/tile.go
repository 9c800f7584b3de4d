package gallery

import (
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// ShowMenu shows the menu of actions for one video.
func (h *Gallery) ShowMenu(w http.ResponseWriter, r *http.Request) error {
	cards, err := h.one(r, false)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.TileMenu(cards[0], site.CameFrom(r)))
}

// mostStacked limits how many takes a tile shows, the newest ones.
const mostStacked = 12

// ShowTakes shows the takes of one video.
func (h *Gallery) ShowTakes(w http.ResponseWriter, r *http.Request) error {
	cards, err := h.one(r, true)
	if err != nil {
		return err
	}
	ready, err := h.lists.ReadyTakes(r, []db.Task{cards[0].Task})
	if err != nil {
		return err
	}
	ids := ready[cards[0].Task.Stack]
	takes, err := h.search.TasksOf(r.Context(), site.Me(r).ID, ids[max(0, len(ids)-mostStacked):])
	if err != nil {
		return err
	}
	slices.SortFunc(takes, func(a, b db.Task) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return web.Fragment(w, r, http.StatusOK, libraryview.TileTakes(cards[0], takes))
}

// ShowTile shows the current state of one video in the gallery.
func (h *Gallery) ShowTile(w http.ResponseWriter, r *http.Request) error {
	g, err := h.lists.Filter(r)
	if err != nil {
		return err
	}
	if g.Cards, err = h.one(r, g.Unfiltered()); err != nil {
		return err
	}
	if g.Zone, err = h.zones.Zone(r); err != nil {
		return err
	}
	if g.First = r.URL.Query().Has(libraryview.First); g.First {
		if err := h.countDay(r, &g); err != nil {
			return err
		}
	}
	return site.Poll(w, r, libraryview.GalleryTile(g))
}

// countDay counts the videos on the day of the gallery's only one.
func (h *Gallery) countDay(r *http.Request, g *libraryview.Gallery) error {
	day := g.DayOf(g.Cards[0])
	many, err := h.search.CountSpans(r.Context(), g.Filter, []gallery.Span{day})
	if err == nil {
		g.PerDay = map[string]int{day.From.In(g.Zone).Format(time.DateOnly): many[0]}
	}
	return err
}

// one returns the card of the video that the request names, as a slice of length one.
func (h *Gallery) one(r *http.Request, everything bool) ([]part.Card, error) {
	t, err := h.tasks.Task(r.Context(), site.ParseID(r.FormValue("id")))
	if err != nil {
		return nil, err
	}
	if !t.ListedFor(site.Me(r).ID) {
		return nil, web.NotFound()
	}
	return h.lists.Card(r, t, everything)
}
