package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views"
	"dailies/web"
)

// maxChosen is how many videos one press may be about.
const maxChosen = 500

// addToCollection puts the chosen videos into a collection, or into a new one
// under the name that was typed.
func (a *App) addToCollection(w http.ResponseWriter, r *http.Request) error {
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	// Before a collection is made for them: somebody sees them.
	tasks, err := a.Store.TasksOf(r.Context(), me(r).ID, ids)
	if err != nil || len(tasks) == 0 {
		return orNotFound(err)
	}
	c, err := a.chosenCollection(r)
	if err != nil {
		return err
	}
	added, err := a.Store.AddToCollection(r.Context(), c.ID, me(r).ID, ids, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return unfit(fmt.Sprintf("A collection holds %d videos at most. Nothing was added to “%s”.", db.MaxCollection, c.Name))
	}
	if err != nil {
		return err
	}
	return a.backTo(w, r, collectionPath(c.ID), views.AddedTo(c.Name, added, len(tasks)))
}

// chosenCollection is the one whose id came with the form, or the one with the
// name that was typed, which may be new.
func (a *App) chosenCollection(r *http.Request) (db.Collection, error) {
	if chosen := r.PostFormValue("collection"); chosen != "" {
		id, err := strconv.ParseInt(chosen, 10, 64)
		if err != nil {
			return db.Collection{}, web.NotFound()
		}
		return a.Store.Collection(r.Context(), me(r).ID, id)
	}
	form := readCollection(r)
	if errs := form.check(); errs != nil {
		return db.Collection{}, unfit(errs["name"])
	}
	c, err := a.Store.NamedCollection(r.Context(), form.Name)
	if !errors.Is(err, db.ErrNotFound) {
		return c, err
	}
	c = db.Collection{Name: form.Name, CreatedBy: me(r).ID, CreatedAt: db.Now()}
	return c, a.Store.AddCollection(r.Context(), &c)
}

// collectionForm is what can be typed about a collection.
type collectionForm struct{ Name, Note string }

func readCollection(r *http.Request) collectionForm {
	return collectionForm{
		Name: strings.Join(strings.Fields(plainText(r.PostFormValue("name"))), " "),
		Note: strings.TrimSpace(plainText(r.PostFormValue("note"))),
	}
}

// check returns nil where all is well.
func (f collectionForm) check() views.Errors {
	switch {
	case f.Name == "":
		return views.Errors{"name": "Choose a collection, or type a name for a new one."}
	case letters(f.Name) > db.MaxCollectionName:
		return views.Errors{"name": fmt.Sprintf("A name has %d letters at most. This one has %d.", db.MaxCollectionName, letters(f.Name))}
	case letters(f.Note) > db.MaxCollectionNote:
		return views.Errors{"note": fmt.Sprintf("A note has %d letters at most. This one has %d.", db.MaxCollectionNote, letters(f.Note))}
	}
	return nil
}

// collectedIDs are the videos that came with the form.
func collectedIDs(r *http.Request) ([]int64, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	chosen := r.PostForm["id"]
	switch {
	case len(chosen) == 0:
		return nil, unfit("Choose one video or more first.")
	case len(chosen) > maxChosen:
		return nil, unfit(fmt.Sprintf("That is more than %d videos at once. Choose fewer.", maxChosen))
	}
	ids := make([]int64, len(chosen))
	for i, text := range chosen {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, web.NotFound()
		}
		ids[i] = id
	}
	return ids, nil
}

// backTo ends a change: the page that the form names, or else the given one,
// with a sentence about what was done.
func (a *App) backTo(w http.ResponseWriter, r *http.Request, otherwise, sentence string) error {
	if err := a.Cookies.Leave(w, r, "flash", sentence); err != nil {
		return err
	}
	if next := r.PostFormValue("next"); next != "" {
		return web.SeeOther(w, r, local(next))
	}
	return web.SeeOther(w, r, otherwise)
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

func letters(s string) int { return len([]rune(s)) }

func collectionPath(id int64) string { return "/collections/" + strconv.FormatInt(id, 10) }
