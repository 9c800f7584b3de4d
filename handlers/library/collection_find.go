package library

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// suggested bounds how many collections the field for a name proposes, of the
// thousand that a team may have.
const suggested = 8

// Find proposes the collections whose names fit what is typed best.
func (h *Collections) Find(w http.ResponseWriter, r *http.Request) error {
	all, err := h.site.Store.CollectionNames(r.Context(), db.MaxCollections)
	if err != nil {
		return err
	}
	best := db.BestCollections(all, site.Clip(r.URL.Query().Get("name"), 4*db.MaxCollectionName), suggested)
	return web.Fragment(w, r, http.StatusOK, libraryview.CollectionOptions(best))
}
