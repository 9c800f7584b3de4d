package library

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Collected puts videos into collections, moves them there and takes them out.
type Collected struct {
	collections *video.Collections
	pages       *site.Pages
	search      *video.Search
}

// Add puts the chosen videos into a collection, or into a new one under the name that was
// typed.
func (h *Collected) Add(w http.ResponseWriter, r *http.Request) error {
	ids, err := FormIDs(r)
	if err != nil {
		return err
	}
	// A new collection is made only if the user can see at least one of the videos.
	tasks, err := h.search.TasksOf(r.Context(), site.Me(r).ID, ids)
	if err != nil || len(tasks) == 0 {
		return OrNotFound(err)
	}
	c, err := h.chosen(r)
	if errors.Is(err, db.ErrFull) {
		return Unprocessable(libraryview.TooManyCollections())
	}
	if err != nil {
		return err
	}
	added, err := h.collections.AddToCollection(r.Context(), c.ID, site.Me(r).ID, ids, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return Unprocessable(collectionFull(c))
	}
	if err != nil {
		return err
	}
	return h.pages.BackWith(w, r, ids, CollectionPath(c.ID), libraryview.AddedTo(c.Name, added, len(tasks)))
}

// chosen returns the collection with the typed name, which is made if there is none, or
// else the collection whose ID the form contains.
func (h *Collected) chosen(r *http.Request) (gallery.Collection, error) {
	name := libraryview.NewCollectionName()
	valid := site.ReadForm(r, name)
	if chosen := r.PostFormValue("collection"); chosen != "" && name.Value == "" {
		id, err := strconv.ParseInt(chosen, 10, 64)
		if err != nil {
			return gallery.Collection{}, web.NotFound()
		}
		return h.collections.Collection(r.Context(), site.Me(r).ID, id)
	}
	if name.Value == "" {
		return gallery.Collection{}, Unprocessable(noCollection)
	}
	if !valid {
		return gallery.Collection{}, Unprocessable(name.Error)
	}
	c, err := h.collections.NamedCollection(r.Context(), name.Value)
	if !errors.Is(err, db.ErrNotFound) {
		return c, err
	}
	c = gallery.Collection{Name: name.Value, CreatedBy: site.Me(r).ID, CreatedAt: db.Now()}
	return c, h.collections.AddCollection(r.Context(), &c)
}

// collectedIn returns the ID of the collection in the path, and the IDs of the videos
// that the form names.
func collectedIn(r *http.Request) (id int64, ids []int64, err error) {
	if id, err = site.ID(r); err == nil {
		ids, err = FormIDs(r)
	}
	return id, ids, err
}

// Remove takes videos out of a collection.
func (h *Collected) Remove(w http.ResponseWriter, r *http.Request) error {
	id, ids, err := collectedIn(r)
	if err != nil {
		return err
	}
	removed, err := h.collections.RemoveFromCollection(r.Context(), id, site.Me(r).ID, ids, db.Now())
	if err != nil {
		return err
	}
	return h.pages.BackTo(w, r, CollectionPath(id), libraryview.RemovedFrom(removed))
}

// Move swaps a video with the one before or after it.
func (h *Collected) Move(w http.ResponseWriter, r *http.Request) error {
	id, ids, err := collectedIn(r)
	if err != nil {
		return err
	}
	earlier := r.PostFormValue("to") == "earlier"
	if err := h.collections.MoveInCollection(r.Context(), id, site.Me(r).ID, ids[0], earlier, db.Now()); err != nil {
		return err
	}
	// The page reaches down to the video's new place, so that it can be moved further.
	return web.SeeOther(w, r, fmt.Sprintf("%s?through=%d#task-%d", CollectionPath(id), ids[0], ids[0]))
}
