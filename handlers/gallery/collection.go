package gallery

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/web"
)

// ListCollections lists the team's collections.
func (h *Gallery) ListCollections(w http.ResponseWriter, r *http.Request) error {
	return h.drawCollections(w, r, http.StatusOK, libraryview.CollectionsPage{})
}

// CreateCollection makes an empty collection.
func (h *Gallery) CreateCollection(w http.ResponseWriter, r *http.Request) error {
	name, note := libraryview.NewCollectionName(), &libraryview.NewCollectionForm(gallery.Collection{}).Note
	if site.ReadForm(r, name, note) {
		c := gallery.Collection{Name: name.Value, Note: note.Value, CreatedBy: site.Me(r).ID, CreatedAt: db.Now()}
		err := h.collections.AddCollection(r.Context(), &c)
		if err == nil {
			return web.SeeOther(w, r, site.CollectionPath(c.ID))
		}
		if name.Error = taken(err); name.Error == "" {
			return err
		}
	}
	return h.drawCollections(w, r, http.StatusUnprocessableEntity, libraryview.CollectionsPage{Name: name})
}

func (h *Gallery) drawCollections(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionsPage) error {
	var err error
	if page.Name == nil {
		page.Name = libraryview.NewCollectionName()
	}
	page.After = site.ParseID(r.URL.Query().Get("after"))
	if page.Collections, err = h.collections.Page(r.Context(), site.Me(r).ID, page.After, wall.PerPage+1); err != nil {
		return err
	}
	if len(page.Collections) > wall.PerPage { // the extra collection shows that there is another page
		page.Collections = page.Collections[:wall.PerPage]
		page.Last = page.Collections[wall.PerPage-1].ID
	}
	of := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		of = 0
	}
	if page.Binned, err = h.collections.BinnedCollections(r.Context(), of); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Collections", libraryview.ShowCollections(page))
}

// ShowCollection shows one collection with the first of its videos in order, or those down to the
// one that "through" names. An htmx request with "after" gets only the videos after that
// one.
func (h *Gallery) ShowCollection(w http.ResponseWriter, r *http.Request) error {
	page, err := h.readCollection(r)
	if err != nil {
		return err
	}
	if page.From > 0 {
		return web.Part(w, r, http.StatusOK, libraryview.CollectionMore(page), func(w http.ResponseWriter, r *http.Request) error {
			return h.drawCollection(w, r, http.StatusOK, page)
		})
	}
	typed, err := h.typed.Typed(r)
	if err != nil {
		return err
	}
	if typed != nil {
		site.ReadInputs(typed, &page.Form.Name, &page.Form.Note)
	}
	return h.drawCollection(w, r, http.StatusOK, page)
}

// readCollection returns the page of the collection in the path.
func (h *Gallery) readCollection(r *http.Request) (libraryview.CollectionPage, error) {
	id, err := site.ID(r)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	c, err := h.collections.Collection(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	list, err := h.collections.Collected(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	q := r.URL.Query()
	from := slices.Index(list.IDs, site.ParseID(q.Get("after"))) + 1
	until := max(from+gallery.PerCollection, slices.Index(list.IDs, site.ParseID(q.Get("through")))+1)
	tasks, err := h.search.TasksOf(r.Context(), site.Me(r).ID, list.IDs[from:min(until, len(list.IDs))])
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	cards, err := h.cards.Of(r, tasks)
	return libraryview.CollectionPage{Collection: c, Form: libraryview.NewCollectionForm(c), Videos: list, From: from, Cards: cards}, err
}

func (h *Gallery) drawCollection(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionPage) error {
	c := page.Collection
	page.MayDelete = c.DeletableBy(site.Me(r))
	return h.pages.Draw(w, r, status, c.Name, libraryview.ShowCollection(page))
}

// SaveCollection changes the name and the note.
func (h *Gallery) SaveCollection(w http.ResponseWriter, r *http.Request) error {
	page, err := h.readCollection(r)
	if err != nil {
		return err
	}
	if form := page.Form; site.ReadForm(r, &form.Name, &form.Note) {
		err := h.collections.SetCollection(r.Context(), page.Collection.ID, form.Name.Value, form.Note.Value, db.Now())
		if err == nil {
			h.typed.Sent(w, r)
			return h.pages.BackTo(w, r, site.CollectionPath(page.Collection.ID), site.Saved)
		}
		if form.Name.Error = taken(err); form.Name.Error == "" {
			return err
		}
	}
	return h.drawCollection(w, r, http.StatusUnprocessableEntity, page)
}

// taken returns the sentence about a name that is already in use, or about too many
// collections; it is empty for any other error.
func taken(err error) string {
	switch {
	case errors.Is(err, db.ErrConflict):
		return libraryview.NameTaken
	case errors.Is(err, db.ErrFull):
		return libraryview.TooManyCollections()
	}
	return ""
}

// AddToCollection puts the chosen videos into a collection, or into a new one under the name that was
// typed.
func (h *Gallery) AddToCollection(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.FormIDs(r)
	if err != nil {
		return err
	}
	// A new collection is made only if the user can see at least one of the videos.
	tasks, err := h.search.TasksOf(r.Context(), site.Me(r).ID, ids)
	if err != nil || len(tasks) == 0 {
		return site.OrNotFound(err)
	}
	c, err := h.chosenCollection(r)
	if errors.Is(err, db.ErrFull) {
		return site.Unprocessable(libraryview.TooManyCollections())
	}
	if err != nil {
		return err
	}
	added, err := h.collections.AddToCollection(r.Context(), c.ID, site.Me(r).ID, ids, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return site.Unprocessable(collectionFull(c))
	}
	if err != nil {
		return err
	}
	return h.pages.BackWith(w, r, ids, site.CollectionPath(c.ID), libraryview.AddedTo(c.Name, added, len(tasks)))
}

// chosenCollection returns the collection with the typed name, which is made if there is none, or
// else the collection whose ID the form contains.
func (h *Gallery) chosenCollection(r *http.Request) (gallery.Collection, error) {
	name := libraryview.NewCollectionName()
	name.Rules[0].Sentence = noCollection
	valid := site.ReadForm(r, name)
	if chosen := r.PostFormValue("collection"); chosen != "" && name.Value == "" {
		id, err := strconv.ParseInt(chosen, 10, 64)
		if err != nil {
			return gallery.Collection{}, web.NotFound()
		}
		return h.collections.Collection(r.Context(), site.Me(r).ID, id)
	}
	if !valid {
		return gallery.Collection{}, site.Unprocessable(name.Error)
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
		ids, err = site.FormIDs(r)
	}
	return id, ids, err
}

// RemoveFromCollection takes videos out of a collection.
func (h *Gallery) RemoveFromCollection(w http.ResponseWriter, r *http.Request) error {
	id, ids, err := collectedIn(r)
	if err != nil {
		return err
	}
	removed, err := h.collections.RemoveFromCollection(r.Context(), id, site.Me(r).ID, ids, db.Now())
	if err != nil {
		return err
	}
	return h.pages.BackTo(w, r, site.CollectionPath(id), libraryview.RemovedFrom(removed))
}

// MoveInCollection swaps a video with the one before or after it.
func (h *Gallery) MoveInCollection(w http.ResponseWriter, r *http.Request) error {
	id, ids, err := collectedIn(r)
	if err != nil {
		return err
	}
	earlier := r.PostFormValue("to") == "earlier"
	if err := h.collections.MoveInCollection(r.Context(), id, site.Me(r).ID, ids[0], earlier, db.Now()); err != nil {
		return err
	}
	// The page reaches down to the video's new place, so that it can be moved further.
	return web.SeeOther(w, r, fmt.Sprintf("%s?through=%d#task-%d", site.CollectionPath(id), ids[0], ids[0]))
}

// DeleteCollection moves a collection, and the links to it, to the bin; its videos stay. Only the
// user who made it and admins may delete it. The next page offers to undo it.
func (h *Gallery) DeleteCollection(w http.ResponseWriter, r *http.Request, id int64) error {
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

// RestoreCollection brings a deleted collection back, with its videos and links.
func (h *Gallery) RestoreCollection(w http.ResponseWriter, r *http.Request, id int64) error {
	c, err := h.collections.BinnedCollection(r.Context(), id)
	if err != nil {
		return err
	}
	if !c.DeletableBy(site.Me(r)) {
		return web.NotFound()
	}
	c, err = h.collections.RestoreCollection(r.Context(), id)
	if errors.Is(err, db.ErrFull) {
		return site.Unprocessable(libraryview.TooManyCollections())
	}
	if err != nil {
		return err
	}
	return h.pages.BackTo(w, r, site.CollectionPath(id), collectionBack(c))
}

// FindCollections returns the collections whose names best match the typed text.
func (h *Gallery) FindCollections(w http.ResponseWriter, r *http.Request) error {
	all, err := h.collections.CollectionNames(r.Context(), gallery.MaxCollections)
	if err != nil {
		return err
	}
	best := gallery.BestCollections(all, site.Clip(r.URL.Query().Get("name"), 4*gallery.MaxCollectionName), wall.MaxSuggested)
	return web.Fragment(w, r, http.StatusOK, libraryview.CollectionOptions(best))
}

// shareable returns the collection in the path, of which a link shows what it contains at the time of
// each visit.
func (h *Gallery) shareable(r *http.Request) (share.Shareable, error) {
	id, err := site.ID(r)
	if err != nil {
		return share.Shareable{}, err
	}
	c, err := h.collections.Collection(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return share.Shareable{}, err
	}
	list, err := h.collections.Collected(r.Context(), site.Me(r).ID, id)
	return share.Shareable{Link: gallery.Share{CollectionID: c.ID}, Path: site.CollectionPath(c.ID), Able: list.Shareable}, err
}
