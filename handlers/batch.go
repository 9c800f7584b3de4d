package handlers

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
)

// showBatch is where a table is pasted.
func (a *App) showBatch(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.batchRecipe(r)
	if err != nil {
		return err
	}
	typed, err := a.Typed(r)
	if err != nil {
		return err
	}
	if typed == nil {
		return a.batchPage(w, r, http.StatusOK, batch{Recipe: rec, Blanks: rec.Blanks()}, nil)
	}
	a.Intake.Patient(w, r)
	b, errs := readBatch(rec, typed)
	if errs == nil {
		if err := a.checkBatch(r, &b); err != nil {
			return err
		}
		errs = b.errors(a.recipeCard(r, rec), false)
	}
	return a.batchPage(w, r, http.StatusOK, b, errs)
}

// sendBatch checks a pasted table, or checks its rows again, or makes the
// videos: only of rows that stand as they were shown with their total.
func (a *App) sendBatch(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.batchRecipe(r)
	if err != nil {
		return err
	}
	a.Intake.Patient(w, r)
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	b, errs := readBatch(rec, values)
	if errs != nil {
		return a.batchPage(w, r, http.StatusUnprocessableEntity, b, errs)
	}
	if err := a.checkBatch(r, &b); err != nil {
		return err
	}
	making := values.Get("do") == "make"
	errs = b.errors(a.recipeCard(r, rec), making)
	if !making {
		return a.batchPage(w, r, statusFor(errs), b, errs)
	}
	// A second press leads to the first, whatever became dearer in between.
	if made, err := a.Store.BatchTasks(r.Context(), b.name(site.Me(r).ID), 1); err != nil {
		return err
	} else if len(made) > 0 {
		a.Sent(w, r)
		return web.SeeOther(w, r, "/batches/"+url.PathEscape(made[0].Batch))
	}
	if errs == nil && b.Sum != b.sum() {
		errs = part.Errors{"": "Something is not as it was when the total was shown. Please look at the rows and the total again."}
	}
	if errs == nil {
		if errs, err = a.batchKey(r); err != nil {
			return err
		}
	}
	if errs != nil {
		return a.batchPage(w, r, http.StatusUnprocessableEntity, b, errs)
	}
	return a.makeBatch(w, r, b)
}

// batchRecipe is the recipe in the address, if a table can fill it.
func (a *App) batchRecipe(r *http.Request) (db.Recipe, error) {
	rec, err := a.recipe(r)
	if err == nil && len(rec.Blanks()) == 0 {
		err = web.NotFound()
	}
	return rec, err
}

func (a *App) batchKey(r *http.Request) (part.Errors, error) {
	has, err := a.Keys.Has(r)
	if err != nil || has {
		return nil, err
	}
	return part.Errors{"": "There is no API key yet, so nothing was sent. Open the settings in another tab, add your key, then press the button again."}, nil
}

// makeBatch writes all videos down at once; the watcher sends one after
// another. The rows' tokens come from the form's, so that a second press finds
// the first batch.
func (a *App) makeBatch(w http.ResponseWriter, r *http.Request, b batch) error {
	u := site.Me(r)
	name := b.name(u.ID)
	var tasks []db.Task
	for i, row := range b.Rows {
		if row.Skip {
			continue
		}
		t := row.Form.task(u)
		t.RecipeID, t.Batch, t.Quoted = b.Recipe.ID, name, b.Price.Credits
		t.FormToken = fmt.Sprintf("%s row %d", onceToken(b.Token, row.Form), i)
		tasks = append(tasks, t)
	}
	added, err := a.Store.AddTasks(r.Context(), tasks)
	if err != nil {
		errs, err := a.unwritten(r, err)
		if err != nil {
			return err
		}
		return a.batchPage(w, r, http.StatusServiceUnavailable, b, errs)
	}
	a.Wake()
	a.Sent(w, r)
	return web.SeeOther(w, r, "/batches/"+url.PathEscape(added[0].Batch))
}

func (a *App) batchPage(w http.ResponseWriter, r *http.Request, status int, b batch, errs part.Errors) error {
	page := b.view(a.recipeCard(r, b.Recipe), a.recipePrice(r, b.Recipe), errs)
	var err error
	if page.HasKey, err = a.Keys.Has(r); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Many at once: "+b.Recipe.Name)
	if err != nil {
		return err
	}
	whole := createview.ShowBatch(f, page)
	return web.PageStatus(w, r, status, whole, whole)
}

// maxBatch is how many videos of one press the page shows.
const maxBatch = 200

// showMade is how far the videos of one press are.
func (a *App) showMade(w http.ResponseWriter, r *http.Request) error {
	tasks, err := a.madeTogether(r.Context(), site.Me(r).ID, site.Clip(r.PathValue("batch"), 100))
	if err != nil {
		return err
	}
	cards, err := a.cards.Of(r, tasks)
	if err != nil {
		return err
	}
	made := createview.Made{Batch: tasks[0].Batch, Cards: cards}
	if made.Recipe, err = a.RecipeOf(r, tasks[0]); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Made together")
	if err != nil {
		return err
	}
	return web.Page(w, r, createview.ShowMade(f, made), createview.MadePart(made))
}

// madeTogether are the videos of one press that the viewer may see.
func (a *App) madeTogether(ctx context.Context, viewer int64, name string) ([]db.Task, error) {
	all, err := a.Store.BatchTasks(ctx, name, maxBatch)
	if err != nil {
		return nil, err
	}
	var seen []db.Task
	for _, t := range all {
		if t.VisibleTo(viewer) && t.DeletedAt.IsZero() {
			seen = append(seen, t)
		}
	}
	if len(seen) == 0 {
		return nil, web.NotFound()
	}
	return seen, nil
}
