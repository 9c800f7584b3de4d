package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// showRecipe is the form that fills in a recipe: with what the address brings,
// or with what could not be sent for want of a key.
func (a *App) showRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.recipe(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	typed, err := a.Typed(r)
	if err != nil {
		return err
	}
	if typed != nil {
		query = typed
	} else if len(query) == 0 {
		draft, err := a.Store.Setting(r.Context(), recipeDraft(site.Me(r).ID, rec.ID))
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		query, _ = url.ParseQuery(draft) // our own encoding; junk is an empty form
	}
	return a.recipePage(w, r, http.StatusOK, readFilling(rec, query), nil)
}

// useRecipe makes a video of the recipe. Of what was sent only the blanks
// count: everything else is the recipe's.
func (a *App) useRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.recipe(r)
	if err != nil {
		return err
	}
	a.Intake.Patient(w, r)
	values, came, err := a.receive(w, r)
	if err != nil {
		return err
	}
	f := readFilling(rec, values)
	if len(came) > 0 || values.Get("pick") != "" {
		errs := f.take(came, values.Get("pick"))
		return a.recipePage(w, r, statusFor(errs), f, errs)
	}
	form, errs, err := a.checkFilling(r, &f)
	if err != nil {
		return err
	}
	if errs = tellUnadded(errs, values); errs != nil {
		return a.recipePage(w, r, http.StatusUnprocessableEntity, f, errs)
	}
	if has, err := a.Keys.Has(r); err != nil {
		return err
	} else if !has {
		return a.keepFilling(w, r, f)
	}
	t := form.task(site.Me(r))
	t.RecipeID, t.FormToken = rec.ID, onceToken(values.Get("token"), form)
	if errs, err := a.fillingDoubts(r, &f, &form, t, values.Get("price_shown")); err != nil {
		return err
	} else if errs != nil {
		return a.recipePage(w, r, http.StatusUnprocessableEntity, f, errs)
	}
	if t, err = a.addTask(r.Context(), t); err != nil {
		errs, err := a.unwritten(r, err)
		if err != nil {
			return err
		}
		return a.recipePage(w, r, http.StatusServiceUnavailable, f, errs)
	}
	return a.answerFilling(w, r, f, t)
}

// checkFilling returns the form of the video that the filling asks for, and
// the messages if it will not do.
func (a *App) checkFilling(r *http.Request, f *filling) (createForm, part.Errors, error) {
	form := f.form(a.Catalog)
	if err := a.settlePictures(r.Context(), &form); err != nil {
		return form, nil, err
	}
	if f.stale() {
		return form, part.Errors{"": "This recipe was changed while you were filling it in. Please look at it, then press the button again."}, nil
	}
	if errs := f.check(form); errs != nil {
		return form, errs, nil
	}
	return form, ceilingErrors(a.recipeCard(r, f.Recipe), a.recipePrice(r, f.Recipe), f.Anyway), nil
}

// ceilingErrors are the messages where the recipe's ceiling forbids the video,
// or cannot be held against a price and nobody said to go on.
func ceilingErrors(c createview.RecipeCard, price part.Price, anyway bool) part.Errors {
	switch {
	case c.Recipe.Over(price.Credits):
		return part.Errors{"": createview.OverCeiling(c, price)}
	case c.Recipe.Unsure(price.Credits) && !anyway:
		return part.Errors{"anyway": "Please check this box if it is to be made although its price is not known."}
	}
	return nil
}

// fillingDoubts is doubts for a filled recipe.
func (a *App) fillingDoubts(r *http.Request, f *filling, form *createForm, t db.Task, shown string) (part.Errors, error) {
	if again, err := a.Store.Pressed(r.Context(), t.UserID, t.FormToken); err != nil || again {
		return nil, err
	}
	if errs := a.dearer(r, *form, shown); errs != nil {
		return errs, nil
	}
	return a.lookAtFilling(r.Context(), f, form), nil
}

// lookAtFilling is lookAtPictures with the messages beside the blanks.
func (a *App) lookAtFilling(ctx context.Context, f *filling, form *createForm) part.Errors {
	errs := f.place(a.lookAtPictures(ctx, form))
	f.SlowTold = form.SlowTold
	return errs
}

// answerFilling leads back to the recipe with the video's card beside it, and
// with what was filled in: the next one often differs in a word. Or it says why
// the service did not take it.
func (a *App) answerFilling(w http.ResponseWriter, r *http.Request, f filling, t db.Task) error {
	if t.State == db.Rejected {
		a.toldOf(r, t)
		f.Refused = &t
		return a.recipePage(w, r, http.StatusUnprocessableEntity, f, part.Errors{"": part.Why(t) + " Nothing was paid."})
	}
	a.dropDraft(r, recipeDraft(t.UserID, f.Recipe.ID))
	a.Sent(w, r)
	back := f.values()
	if len(back.Encode()) > 4000 { // what every server on the way takes
		back = url.Values{}
	}
	back.Set("made", fmt.Sprint(t.ID))
	return web.SeeOther(w, r, fmt.Sprintf("/recipes/%d?%s#latest", f.Recipe.ID, back.Encode()))
}

// keepFilling keeps what was filled in until the person is back with a key.
func (a *App) keepFilling(w http.ResponseWriter, r *http.Request, f filling) error {
	kept := a.addDraft(r, recipeDraft(site.Me(r).ID, f.Recipe.ID), f.values())
	return a.recipePage(w, r, http.StatusUnprocessableEntity, f, part.Errors{"": part.WithoutKey(kept)})
}

func recipeDraft(userID, recipeID int64) string {
	return fmt.Sprintf("draft %d recipe %d", userID, recipeID)
}

func (a *App) recipePage(w http.ResponseWriter, r *http.Request, status int, f filling, errs part.Errors) error {
	page, err := a.recipeView(r, f, errs)
	if err != nil {
		return err
	}
	latest, err := a.latest(r)
	if err != nil {
		return err
	}
	frame, err := a.Frame(w, r, f.Recipe.Name)
	if err != nil {
		return err
	}
	whole := createview.ShowRecipe(frame, page, latest)
	return web.PageStatus(w, r, status, whole, whole)
}

func (a *App) recipeView(r *http.Request, f filling, errs part.Errors) (createview.RecipePage, error) {
	p := createview.RecipePage{Card: a.recipeCard(r, f.Recipe), Anyway: f.Anyway}
	for _, b := range f.Blanks {
		p.Fields = append(p.Fields, createview.RecipeField{Blank: b, Value: f.Values[b.Key()]})
	}
	p.Form = createview.CreateForm{
		Scene: videoapi.Scene(f.Recipe.Scene), Token: db.NewToken(), Errors: errs, SlowTold: f.SlowTold,
		Uploads: a.UploadsReach(), Price: a.recipePrice(r, f.Recipe),
		Paths: createview.FormPaths{Upload: fmt.Sprintf("/recipes/%d", f.Recipe.ID)},
	}
	if f.Refused != nil {
		p.Form.Mend = part.Mend(*f.Refused, a.Sandbox != nil)
	}
	var err error
	if p.Form.HasKey, err = a.Keys.Has(r); err == nil && len(f.Recipe.Pictures) > 0 {
		p.Form.Earlier, err = a.earlier(r.Context(), site.Me(r).ID)
	}
	return p, err
}
