package library

import (
	"net/http"

	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Bin shows deleted videos.
type Bin struct {
	site  *site.Site
	cards *site.Cards
}

// Show lists the videos that the viewer has deleted and can restore. Admins
// see everybody's that are not private.
func (bn *Bin) Show(w http.ResponseWriter, r *http.Request) error {
	b := libraryview.Bin{All: site.Me(r).IsAdmin()}
	tasks, err := bn.site.Store.Bin(r.Context(), site.Me(r), site.ParseID(r.FormValue("before")), perPage+1)
	if err != nil {
		return err
	}
	if len(tasks) > perPage {
		tasks = tasks[:perPage]
		b.Last = tasks[perPage-1].ID
	}
	if b.Cards, err = bn.cards.Of(r, tasks); err != nil {
		return err
	}
	f, err := bn.site.Frame(w, r, "Bin")
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.ShowBin(f, b))
}
