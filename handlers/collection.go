package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// showCollections is all that the team has put together.
func (a *App) showCollections(w http.ResponseWriter, r *http.Request) error {
	return a.drawCollections(w, r, http.StatusOK, libraryview.CollectionsPage{})
}

// makeCollection makes an empty one.
func (a *App) makeCollection(w http.ResponseWriter, r *http.Request) error {
	form, now := readCollection(r), db.Now()
	c := db.Collection{Name: form.Name, Note: form.Note, CreatedBy: site.Me(r).ID, CreatedAt: now}
	errs := form.check()
	if errs == nil {
		err := a.Store.AddCollection(r.Context(), &c)
		if err == nil {
			return web.SeeOther(w, r, collectionPath(c.ID))
		}
		if errs = taken(err); errs == nil {
			return err
		}
	}
	return a.drawCollections(w, r, http.StatusUnprocessableEntity, libraryview.CollectionsPage{Name: form.Name, Errors: errs})
}

func (a *App) drawCollections(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionsPage) error {
	var err error
	if page.Collections, err = a.Store.Collections(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	of := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		of = 0
	}
	if page.Binned, err = a.Store.BinnedCollections(r.Context(), of); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Collections")
	if err != nil {
		return err
	}
	whole := libraryview.ShowCollections(f, page)
	return web.PageStatus(w, r, status, whole, whole)
}

// showCollection is one of them, in its own order.
func (a *App) showCollection(w http.ResponseWriter, r *http.Request) error {
	page, err := a.collectionPage(r)
	if err != nil {
		return err
	}
	typed, err := a.Typed(r)
	if err != nil {
		return err
	}
	if typed != nil {
		page.Name, page.Note = site.PlainText(typed.Get("name")), site.PlainText(typed.Get("note"))
	}
	return a.drawCollection(w, r, http.StatusOK, page)
}

func (a *App) collectionPage(r *http.Request) (libraryview.CollectionPage, error) {
	id, err := site.ID(r)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	c, err := a.Store.Collection(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	tasks, err := a.Store.CollectionTasks(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return libraryview.CollectionPage{}, err
	}
	cards, err := a.cards.Of(r, tasks)
	return libraryview.CollectionPage{Collection: c, Name: c.Name, Note: c.Note, Cards: cards}, err
}

func (a *App) drawCollection(w http.ResponseWriter, r *http.Request, status int, page libraryview.CollectionPage) error {
	c := page.Collection
	var err error
	link := db.Share{CollectionID: c.ID}
	if page.Share, err = a.sharePart(r, page.Share, link, collectionPath(c.ID)); err != nil {
		return err
	}
	page.Share.Able, page.MayDelete = page.Shareable(), c.DeletableBy(site.Me(r))
	f, err := a.Frame(w, r, c.Name)
	if err != nil {
		return err
	}
	whole := libraryview.ShowCollection(f, page)
	return web.PageStatus(w, r, status, whole, whole)
}

// saveCollection changes the name and the note.
func (a *App) saveCollection(w http.ResponseWriter, r *http.Request) error {
	page, err := a.collectionPage(r)
	if err != nil {
		return err
	}
	form := readCollection(r)
	errs := form.check()
	if errs == nil {
		err := a.Store.SetCollection(r.Context(), page.Collection.ID, form.Name, form.Note, db.Now())
		if err == nil {
			a.Sent(w, r)
			return a.BackTo(w, r, collectionPath(page.Collection.ID), "The collection is changed.")
		}
		if errs = taken(err); errs == nil {
			return err
		}
	}
	page.Name, page.Note, page.Errors = form.Name, form.Note, errs
	return a.drawCollection(w, r, http.StatusUnprocessableEntity, page)
}

// fillPlaces fills in which collections a video is in, and which links lead to
// it.
func (a *App) fillPlaces(r *http.Request, page *libraryview.TaskPage) error {
	t, path := page.Card.Task, site.TaskPath(page.Card.Task.ID)
	recent, err := a.Store.CollectionNames(r.Context(), suggested)
	if err != nil {
		return err
	}
	in, err := a.Store.CollectionsOf(r.Context(), t.ID)
	if err != nil {
		return err
	}
	page.Collections = libraryview.CollectionPart{TaskID: t.ID, In: in, Recent: recent}
	page.Share, err = a.sharePart(r, page.Share, db.Share{TaskID: t.ID}, path)
	page.Share.Able = t.ShareableBy(site.Me(r).ID)
	return err
}

// collectionForm is what can be typed about a collection.
type collectionForm struct{ Name, Note string }

func readCollection(r *http.Request) collectionForm {
	return collectionForm{
		Name: strings.Join(strings.Fields(site.PlainText(r.PostFormValue("name"))), " "),
		Note: strings.TrimSpace(site.PlainText(r.PostFormValue("note"))),
	}
}

// check returns nil where all is well.
func (f collectionForm) check() part.Errors {
	switch {
	case f.Name == "":
		return part.Errors{"name": "Give it a name."}
	case utf8.RuneCountInString(f.Name) > db.MaxCollectionName:
		return part.Errors{"name": fmt.Sprintf("A name has %d letters at most. This one has %d.", db.MaxCollectionName, utf8.RuneCountInString(f.Name))}
	case utf8.RuneCountInString(f.Note) > db.MaxCollectionNote:
		return part.Errors{"note": fmt.Sprintf("A note has %d letters at most. This one has %d.", db.MaxCollectionNote, utf8.RuneCountInString(f.Note))}
	}
	return nil
}

// taken returns the message about a name that another collection has, or about
// one collection too many, or nil for any other error.
func taken(err error) part.Errors {
	switch {
	case errors.Is(err, db.ErrConflict):
		return part.Errors{"name": "There is a collection with this name already."}
	case errors.Is(err, db.ErrFull):
		return part.Errors{"name": libraryview.TooManyCollections()}
	}
	return nil
}

// unfit is the answer to a form that cannot be carried out as it is.
func unfit(sentence string) error {
	return &web.Error{Status: http.StatusUnprocessableEntity, Message: sentence}
}

// orNotFound is the error, or the one for something that is not there.
func orNotFound(err error) error {
	if err == nil {
		err = web.NotFound()
	}
	return err
}

func collectionPath(id int64) string { return "/collections/" + strconv.FormatInt(id, 10) }
