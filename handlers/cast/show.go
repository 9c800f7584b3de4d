package cast

import (
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// NewShow returns the handler of a cast member's page.
func NewShow(s *site.Site, lists *wall.Lists) *Show {
	return &Show{cast: s.Store.Cast, flashes: s.Flashes, list: lists.List, pages: s.Pages}
}

// Show shows the members of the cast.
type Show struct {
	cast    *video.Cast
	flashes *site.Flashes
	list    *wall.GalleryList
	pages   *site.Pages
}

// Show shows the member, and the newest of the videos with it that the viewer may see. The
// gallery has the older ones.
func (h *Show) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	m, err := h.cast.Get(r.Context(), id)
	if err != nil {
		return err
	}
	g, err := wall.FilterOf(h.list.Settings, r)
	if err != nil {
		return err
	}
	only := libraryview.Gallery{LookOnly: g.LookOnly}
	only.Filter.Viewer, only.Filter.Cast, only.Filter.Through, only.Filter.Now = g.Filter.Viewer, []int64{id}, g.Filter.Through, g.Filter.Now
	if g, err = h.list.Of(r, only); err != nil {
		return err
	}
	selected, err := h.flashes.TakeSelection(w, r)
	if err != nil {
		return err
	}
	for i, c := range g.Cards {
		g.Cards[i].Selected = slices.Contains(selected, c.Task.ID)
	}
	page := libraryview.CastPage{Member: m, Videos: g, Makes: site.Me(r).Makes()}
	return h.pages.Draw(w, r, http.StatusOK, m.Name, func(f part.Frame) templ.Component { return libraryview.ShowMember(f, page) })
}
