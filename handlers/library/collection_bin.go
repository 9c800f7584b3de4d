package library

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Delete moves a collection, and the links to it, to the bin; its videos stay. Only the
// user who made it and admins may delete it. The next page offers to undo it.
func (h *Collections) Delete(w http.ResponseWriter, r *http.Request, id int64) error {
	c, err := h.collections.Collection(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return err
	}
	if !c.DeletableBy(site.Me(r)) {
		return &web.Error{Status: http.StatusForbidden, Message: collectionOfAnother(c)}
	}
	if err := h.collections.DeleteCollection(r.Context(), id, site.Me(r).ID, db.Now()); err != nil {
		return err
	}
	if err := h.flashes.LeaveCollectionUndo(w, r, id); err != nil {
		return err
	}
	return h.pages.BackTo(w, r, "/collections", collectionDeleted)
}

// Restore brings a deleted collection back, with its videos and links.
func (h *Collections) Restore(w http.ResponseWriter, r *http.Request, id int64) error {
	c, err := h.collections.BinnedCollection(r.Context(), id)
	if err != nil {
		return err
	}
	if !c.DeletableBy(site.Me(r)) {
		return web.NotFound()
	}
	c, err = h.collections.RestoreCollection(r.Context(), id)
	if errors.Is(err, db.ErrFull) {
		return Unprocessable(libraryview.TooManyCollections())
	}
	if err != nil {
		return err
	}
	return h.pages.BackTo(w, r, CollectionPath(id), collectionBack(c))
}
