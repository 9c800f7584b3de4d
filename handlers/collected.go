package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
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
	tasks, err := a.Store.TasksOf(r.Context(), site.Me(r).ID, ids)
	if err != nil || len(tasks) == 0 {
		return orNotFound(err)
	}
	c, err := a.chosenCollection(r)
	if errors.Is(err, db.ErrFull) {
		return unfit(libraryview.TooManyCollections())
	}
	if err != nil {
		return err
	}
	added, err := a.Store.AddToCollection(r.Context(), c.ID, site.Me(r).ID, ids, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return unfit(fmt.Sprintf("A collection holds %d videos at most. Nothing was added to “%s”.", db.MaxCollection, c.Name))
	}
	if err != nil {
		return err
	}
	return a.BackTo(w, r, collectionPath(c.ID), libraryview.AddedTo(c.Name, added, len(tasks)))
}

// chosenCollection is the one with the name that was typed, which may be new, or
// else the one whose id came with the form.
func (a *App) chosenCollection(r *http.Request) (db.Collection, error) {
	form := readCollection(r)
	if chosen := r.PostFormValue("collection"); chosen != "" && form.Name == "" {
		id, err := strconv.ParseInt(chosen, 10, 64)
		if err != nil {
			return db.Collection{}, web.NotFound()
		}
		return a.Store.Collection(r.Context(), site.Me(r).ID, id)
	}
	if form.Name == "" {
		return db.Collection{}, unfit("Choose a collection, or type a name for a new one.")
	}
	if errs := form.check(); errs != nil {
		return db.Collection{}, unfit(errs["name"])
	}
	c, err := a.Store.NamedCollection(r.Context(), form.Name)
	if !errors.Is(err, db.ErrNotFound) {
		return c, err
	}
	c = db.Collection{Name: form.Name, CreatedBy: site.Me(r).ID, CreatedAt: db.Now()}
	return c, a.Store.AddCollection(r.Context(), &c)
}

// removeFromCollection takes videos out of a collection.
func (a *App) removeFromCollection(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	removed, err := a.Store.RemoveFromCollection(r.Context(), id, site.Me(r).ID, ids, db.Now())
	if err != nil {
		return err
	}
	return a.BackTo(w, r, collectionPath(id), libraryview.RemovedFrom(removed))
}

// moveInCollection lets a video change places with the one before or after it.
func (a *App) moveInCollection(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	earlier := r.PostFormValue("to") == "earlier"
	if err := a.Store.MoveInCollection(r.Context(), id, site.Me(r).ID, ids[0], earlier, db.Now()); err != nil {
		return err
	}
	// To where it now stands, so that it can be moved on.
	return web.SeeOther(w, r, fmt.Sprintf("%s#task-%d", collectionPath(id), ids[0]))
}

// collectedIDs are the videos that came with the form.
func collectedIDs(r *http.Request) ([]int64, error) {
	if _, err := site.FormValues(r); err != nil {
		return nil, err
	}
	return chosenIDs(r.PostForm["id"])
}

// chosenIDs are the numbers of the videos that were chosen, each once.
func chosenIDs(chosen []string) ([]int64, error) {
	switch {
	case len(chosen) == 0:
		return nil, unfit("Choose one video or more first.")
	case len(chosen) > maxChosen:
		return nil, unfit(fmt.Sprintf("That is more than %d videos at once. Choose fewer.", maxChosen))
	}
	var ids []int64
	for _, text := range chosen {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return nil, web.NotFound()
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
