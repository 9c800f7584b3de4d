package library

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Collections lists, makes, deletes and restores the team's collections.
type Collections struct {
	collections *video.Collections
	flashes     *site.Flashes
	pages       *site.Pages
}

// Collection shows, changes and shares one collection.
type Collection struct {
	collections *video.Collections
	links       *Links
	pages       *site.Pages
	reader      *collectionReader
	typing      *site.Typing
}

// collectionReader reads a collection and its videos.
type collectionReader struct {
	cards       *site.Cards
	collections *video.Collections
	search      *video.Search
}

// ShowAll lists the team's collections.
func (h *Collections) ShowAll(w http.ResponseWriter, r *http.Request) error {
	return h.drawAll(w, r, http.StatusOK, libraryview.CollectionsPage{})
}

// Create makes an empty collection.
func (h *Collections) Create(w http.ResponseWriter, r *http.Request) error {
	name, note := libraryview.NewCollectionName(), &libraryview.NewCollectionForm(gallery.Collection{}).Note
	if site.ReadForm(r, name, note) {
		c := gallery.Collection{Name: name.Value, Note: note.Value, CreatedBy: site.Me(r).ID, CreatedAt: db.Now()}
		err := h.collections.AddCollection(r.Context(), &c)
		if err == nil {
			return web.SeeOther(w, r, CollectionPath(c.ID))
		}
		if name.Error = taken(err); name.Error == "" {
			return err
		}
	}
	return h.drawAll(w, r, http.StatusUnprocessableEntity, libraryview.CollectionsPage{Name: name})
}

func (h *Collections) drawAll(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionsPage) error {
	var err error
	if page.Name == nil {
		page.Name = libraryview.NewCollectionName()
	}
	page.After = site.ParseID(r.URL.Query().Get("after"))
	if page.Collections, err = h.collections.Page(r.Context(), site.Me(r).ID, page.After, PerPage+1); err != nil {
		return err
	}
	if len(page.Collections) > PerPage { // the extra collection shows that there is another page
		page.Collections = page.Collections[:PerPage]
		page.Last = page.Collections[PerPage-1].ID
	}
	of := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		of = 0
	}
	if page.Binned, err = h.collections.BinnedCollections(r.Context(), of); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Collections", func(f part.Frame) templ.Component { return libraryview.ShowCollections(f, page) })
}

// Show shows one collection with the first of its videos in order, or those down to the
// one that "through" names. An htmx request with "after" gets only the videos after that
// one.
func (h *Collection) Show(w http.ResponseWriter, r *http.Request) error {
	page, err := h.reader.read(r)
	if err != nil {
		return err
	}
	if page.From > 0 {
		return web.Part(w, r, http.StatusOK, libraryview.CollectionMore(page), func(w http.ResponseWriter, r *http.Request) error {
			return h.draw(w, r, http.StatusOK, page)
		})
	}
	typed, err := h.typing.Typed(r)
	if err != nil {
		return err
	}
	if typed != nil {
		site.ReadInputs(typed, &page.Form.Name, &page.Form.Note)
	}
	return h.draw(w, r, http.StatusOK, page)
}

// read returns the page of the collection in the path.
func (h *collectionReader) read(r *http.Request) (libraryview.CollectionPage, error) {
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

func (h *Collection) draw(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionPage) error {
	c := page.Collection
	page.MayDelete = c.DeletableBy(site.Me(r))
	return h.pages.Draw(w, r, status, c.Name, func(f part.Frame) templ.Component { return libraryview.ShowCollection(f, page) })
}

// Save changes the name and the note.
func (h *Collection) Save(w http.ResponseWriter, r *http.Request) error {
	page, err := h.reader.read(r)
	if err != nil {
		return err
	}
	if form := page.Form; site.ReadForm(r, &form.Name, &form.Note) {
		err := h.collections.SetCollection(r.Context(), page.Collection.ID, form.Name.Value, form.Note.Value, db.Now())
		if err == nil {
			h.typing.Sent(w, r)
			return h.pages.BackTo(w, r, CollectionPath(page.Collection.ID), site.Saved)
		}
		if form.Name.Error = taken(err); form.Name.Error == "" {
			return err
		}
	}
	return h.draw(w, r, http.StatusUnprocessableEntity, page)
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

func CollectionPath(id int64) string { return "/collections/" + strconv.FormatInt(id, 10) }
