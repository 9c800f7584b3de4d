package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// showNewRecipe is an empty recipe of a scene (?scene=), one that starts with
// everything of a video (?from=7), or one with what the address brings.
func (a *App) showNewRecipe(w http.ResponseWriter, r *http.Request) error {
	form, err := a.startingRecipe(r)
	if err != nil {
		return err
	}
	return a.editPage(w, r, http.StatusOK, db.Recipe{}, form, nil)
}

func (a *App) startingRecipe(r *http.Request) (recipeForm, error) {
	query := r.URL.Query()
	if typed, err := a.Typed(r); err != nil {
		return recipeForm{}, err
	} else if typed != nil {
		query = typed
	}
	form := readRecipe(sceneIn(query), a.Catalog, query)
	if form.From == 0 {
		return form, nil
	}
	t, err := a.Store.Task(r.Context(), form.From)
	if err == nil && !t.VisibleTo(site.Me(r).ID) {
		err = web.NotFound()
	}
	if err == nil && !query.Has("options_of") { // else the address has it all
		form.Setup = formOf(t, a.Catalog)
	}
	return form, err
}

// sceneIn is the scene that the values name, or the one that needs no picture.
func sceneIn(v url.Values) videoapi.Scene {
	if s := videoapi.Scene(v.Get("scene")); s.Valid() {
		return s
	}
	return videoapi.TextToVideo
}

// showRecipeOptions is the part of the editor that depends on the model.
func (a *App) showRecipeOptions(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	form := readRecipe(sceneIn(query), a.Catalog, query)
	edit, err := a.recipeEdit(r, db.Recipe{}, form, nil)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.RecipeOptions(edit.Form))
}

// addRecipe keeps a new recipe.
func (a *App) addRecipe(w http.ResponseWriter, r *http.Request) error {
	return a.saveRecipe(w, r, db.Recipe{})
}

// showEditRecipe is a recipe as its maker changes it.
func (a *App) showEditRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.changeableRecipe(r)
	if err == nil && !rec.DeletedAt.IsZero() {
		err = web.NotFound()
	}
	if err != nil {
		return err
	}
	form, query := recipeFormOf(rec, a.Catalog), r.URL.Query()
	if typed, err := a.Typed(r); err != nil {
		return err
	} else if typed != nil {
		query = typed
	}
	if query.Has("options_of") {
		form = readRecipe(videoapi.Scene(rec.Scene), a.Catalog, query)
	}
	return a.editPage(w, r, http.StatusOK, rec, form, nil)
}

// editRecipe keeps the changes.
func (a *App) editRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.changeableRecipe(r)
	if err == nil && !rec.DeletedAt.IsZero() {
		err = web.NotFound()
	}
	if err != nil {
		return err
	}
	return a.saveRecipe(w, r, rec)
}

// saveRecipe keeps what was sent as the recipe, which is a new one without an
// ID. A picture that came along is put into the form.
func (a *App) saveRecipe(w http.ResponseWriter, r *http.Request, old db.Recipe) error {
	a.Intake.Patient(w, r)
	values, came, err := a.receive(w, r)
	if err != nil {
		return err
	}
	scene := sceneIn(values)
	if old.ID != 0 {
		scene = videoapi.Scene(old.Scene)
	}
	form := readRecipe(scene, a.Catalog, values)
	if len(came) > 0 || values.Get("pick") != "" {
		_, errs := form.Setup.take(came, values)
		return a.editPage(w, r, statusFor(errs), old, form, errs)
	}
	errs, err := a.checkRecipe(r, &form)
	if err != nil {
		return err
	}
	if errs = tellUnadded(errs, values); errs != nil {
		return a.editPage(w, r, http.StatusUnprocessableEntity, old, form, errs)
	}
	id, err := a.keepRecipe(r.Context(), old, form.recipe(site.Me(r)))
	if err != nil {
		return err
	}
	a.Sent(w, r)
	if err := a.Cookies.Leave(w, r, "flash", "Saved. Everybody in the team can use this recipe now."); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/recipes/%d", id))
}

func statusFor(errs part.Errors) int {
	if errs != nil {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// checkRecipe holds the form against the rules, and looks at the pictures that
// stay. A video to start from that the person may not see is left out.
func (a *App) checkRecipe(r *http.Request, form *recipeForm) (part.Errors, error) {
	if err := a.settlePictures(r.Context(), &form.Setup); err != nil {
		return nil, err
	}
	if form.Setup.Known && form.Setup.OptionsOf != "" && form.Setup.OptionsOf != form.Setup.Model {
		return part.Errors{"": "You chose another model. Please look at its options, then save."}, nil
	}
	if errs := form.check(); errs != nil {
		return errs, nil
	}
	if form.From != 0 {
		t, err := a.Store.Task(r.Context(), form.From)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		if err != nil || !t.VisibleTo(site.Me(r).ID) {
			form.From = 0
		}
	}
	fixed := form.fixed()
	errs := a.lookAtPictures(r.Context(), &fixed)
	form.Setup.SlowTold = fixed.SlowTold
	return errs, nil
}

func (a *App) keepRecipe(ctx context.Context, old, rec db.Recipe) (int64, error) {
	if old.ID == 0 {
		err := a.Store.AddRecipe(ctx, &rec)
		return rec.ID, err
	}
	_, err := a.Store.UpdateRecipe(ctx, old.ID, func(kept *db.Recipe) error {
		rec.DeletedAt = kept.DeletedAt
		*kept = rec
		return nil
	})
	return old.ID, err
}

func (a *App) editPage(w http.ResponseWriter, r *http.Request, status int, rec db.Recipe, form recipeForm, errs part.Errors) error {
	edit, err := a.recipeEdit(r, rec, form, errs)
	if err != nil {
		return err
	}
	if len(edit.Form.Pictures) > 0 {
		if edit.Form.Earlier, err = a.earlier(r.Context(), site.Me(r).ID); err != nil {
			return err
		}
	}
	title := "New recipe"
	if rec.ID != 0 {
		title = rec.Name
	}
	f, err := a.Frame(w, r, title)
	if err != nil {
		return err
	}
	page := createview.EditRecipe(f, edit)
	return web.PageStatus(w, r, status, page, page)
}

// recipeEdit is the editor as the page shows it, fitted to the model.
func (a *App) recipeEdit(r *http.Request, rec db.Recipe, form recipeForm, errs part.Errors) (createview.RecipeEdit, error) {
	var notes []string
	if errs == nil || errs[""] != "" {
		notes = form.Setup.adapt(a.Catalog)
	}
	view, err := a.formView(r, form.Setup, errs, notes)
	if err != nil {
		return createview.RecipeEdit{}, err
	}
	edit := createview.RecipeEdit{Recipe: rec, Name: form.Name, Note: form.Note, Ceiling: form.Ceiling, From: form.From, Form: view}
	edit.Form.Blanks = true
	edit.Form.Paths = createview.FormPaths{Look: "/recipes/new", Options: createview.RecipeOptionsPath(form.Setup.Scene), Upload: "/recipes"}
	if rec.ID != 0 {
		path := "/recipes/" + strconv.FormatInt(rec.ID, 10) + "/edit"
		edit.Form.Paths.Look, edit.Form.Paths.Upload = path, path
	}
	return edit, nil
}
