package library

import (
	"net/http"

	"dailies/db/gallery"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// MaxSuggested limits how many collections the name field proposes; a team can have a
// thousand.
const MaxSuggested = 8

// Find returns the collections whose names best match the typed text.
func (h *Collections) Find(w http.ResponseWriter, r *http.Request) error {
	all, err := h.collections.CollectionNames(r.Context(), gallery.MaxCollections)
	if err != nil {
		return err
	}
	best := gallery.BestCollections(all, site.Clip(r.URL.Query().Get("name"), 4*gallery.MaxCollectionName), MaxSuggested)
	return web.Fragment(w, r, http.StatusOK, libraryview.CollectionOptions(best))
}
