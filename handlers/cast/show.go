package cast

import (
	"net/http"
	"slices"

	libraryview "dailies/views/library"
)

// Show shows the member, and the newest of the videos with it that the viewer may see. The
// gallery has the older ones.
func (h *Cast) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	m, err := h.members.Get(r.Context(), id)
	if err != nil {
		return err
	}
	g, err := h.lists.Filter(r)
	if err != nil {
		return err
	}
	only := libraryview.Gallery{LookOnly: g.LookOnly}
	only.Filter.Viewer, only.Filter.Cast, only.Filter.Through, only.Filter.Now = g.Filter.Viewer, []int64{id}, g.Filter.Through, g.Filter.Now
	if g, err = h.lists.Videos(r, only); err != nil {
		return err
	}
	selected, err := h.flashes.TakeSelection(w, r)
	if err != nil {
		return err
	}
	for i, c := range g.Cards {
		g.Cards[i].Selected = slices.Contains(selected, c.Task.ID)
	}
	return h.pages.Draw(w, r, http.StatusOK, m.Name, libraryview.ShowMember(libraryview.CastPage{Member: m, Videos: g}))
}
