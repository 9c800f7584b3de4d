package create

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// RecipeEditor shows the form of a recipe.
type RecipeEditor struct {
	page    *recipePage
	recipes *Recipes
	tasks   *video.Tasks
	typing  *site.Typing
}

// recipePage is the page on which a recipe is made or changed.
type recipePage struct {
	catalog *videoapi.Catalog
	fields  *PictureFields
	pages   *site.Pages
	views   *FormViews
}

// New shows an empty recipe of a scene (?scene=), one with the values of a video
// (?from=7), or one with values from the URL.
func (h *RecipeEditor) New(w http.ResponseWriter, r *http.Request) error {
	form, err := h.startingRecipe(r)
	if err != nil {
		return err
	}
	return h.page.draw(w, r, http.StatusOK, ordering.Recipe{}, form, nil)
}

func (h *RecipeEditor) startingRecipe(r *http.Request) (recipeForm, error) {
	query := r.URL.Query()
	if typed, err := h.typing.Typed(r); err != nil {
		return recipeForm{}, err
	} else if typed != nil {
		query = typed
	}
	form := readRecipe(sceneIn(query), h.recipes.catalog, query)
	if form.From == 0 {
		return form, nil
	}
	t, err := h.tasks.Task(r.Context(), form.From)
	if err == nil && !t.VisibleTo(site.Me(r).ID) {
		err = web.NotFound()
	}
	if err == nil && !query.Has("options_of") { // otherwise the URL contains all values
		if t, _, err = h.page.views.Origins.Casting.Uncast(r.Context(), t); err != nil {
			return form, err
		}
		form.Setup = FormOf(t, h.recipes.catalog)
	}
	return form, err
}

// sceneIn returns the scene named in the values, or else text-to-video.
func sceneIn(v url.Values) videoapi.Scene {
	if s := videoapi.Scene(v.Get("scene")); s.Valid() {
		return s
	}
	return videoapi.TextToVideo
}

// Options shows the part of the editor that depends on the model.
func (h *RecipeEditor) Options(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	form := readRecipe(sceneIn(query), h.recipes.catalog, query)
	edit, err := h.page.edit(r, ordering.Recipe{}, form, nil)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.RecipeOptions(edit.Form))
}

// Edit shows the page for changing a recipe.
func (h *RecipeEditor) Edit(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipes.editableRecipe(r)
	if err != nil {
		return err
	}
	form, query := recipeFormOf(rec, h.recipes.catalog), r.URL.Query()
	if typed, err := h.typing.Typed(r); err != nil {
		return err
	} else if typed != nil {
		query = typed
	}
	if query.Has("options_of") {
		form = readRecipe(videoapi.Scene(rec.Scene), h.recipes.catalog, query)
	}
	return h.page.draw(w, r, http.StatusOK, rec, form, nil)
}

func (h *recipePage) draw(w http.ResponseWriter, r *http.Request, status int, rec ordering.Recipe, form recipeForm, errs input.Errors) error {
	edit, err := h.edit(r, rec, form, errs)
	if err != nil {
		return err
	}
	if err := h.fields.FillEarlier(r, &edit.Form); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, edit.Title(), func(f part.Frame) templ.Component { return createview.EditRecipe(f, edit) })
}

// edit returns the editor's data for its page, with the options adapted to the
// model.
func (h *recipePage) edit(r *http.Request, rec ordering.Recipe, form recipeForm, errs input.Errors) (createview.RecipeEdit, error) {
	var notes []string
	if errs == nil || errs[""] != "" {
		notes = form.Setup.Adapt(h.catalog)
	}
	view, err := h.views.Of(r, nil, form.Setup, errs, notes)
	if err != nil {
		return createview.RecipeEdit{}, err
	}
	edit := createview.RecipeEdit{Recipe: rec, Fields: form.RecipeFields, From: form.From, Form: view}
	edit.Form.Blanks = true
	errs.Mark(edit.Fields.Inputs()...)
	edit.Form.Paths = createview.FormPaths{Look: "/recipes/new", Options: createview.RecipeOptionsPath(form.Setup.Scene), Upload: "/recipes"}
	if rec.ID != 0 {
		path := "/recipes/" + strconv.FormatInt(rec.ID, 10) + "/edit"
		edit.Form.Paths.Look, edit.Form.Paths.Upload = path, path
	}
	return edit, nil
}

// RecipeSaving stores recipes.
type RecipeSaving struct {
	check    *recipeCheck
	page     *recipePage
	receiver *Receiver
	recipes  *Recipes
	typing   *site.Typing
}

// recipeCheck checks the form of a recipe.
type recipeCheck struct {
	catalog  *videoapi.Catalog
	fields   *PictureFields
	pictures *Pictures
	tasks    *video.Tasks
}

// Add stores a new recipe.
func (h *RecipeSaving) Add(w http.ResponseWriter, r *http.Request) error {
	return h.saveRecipe(w, r, ordering.Recipe{})
}

// Save stores the changes to a recipe.
func (h *RecipeSaving) Save(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipes.editableRecipe(r)
	if err != nil {
		return err
	}
	return h.saveRecipe(w, r, rec)
}

// saveRecipe stores the submitted values as a recipe, which is a new one if old has
// no ID. If pictures were uploaded or picked, it shows the form with them instead.
func (h *RecipeSaving) saveRecipe(w http.ResponseWriter, r *http.Request, old ordering.Recipe) error {
	values, came, err := h.receiver.Receive(w, r)
	if err != nil {
		return err
	}
	scene := sceneIn(values)
	if old.ID != 0 {
		scene = videoapi.Scene(old.Scene)
	}
	form := readRecipe(scene, h.recipes.catalog, values)
	if len(Pressed(came, values)) > 0 {
		_, errs := form.Setup.TakeUploads(came, values)
		return h.page.draw(w, r, StatusFor(errs), old, form, errs)
	}
	errs, err := h.check.of(r, &form)
	if err != nil {
		return err
	}
	if errs = AddUploadErrors(errs, values); errs != nil {
		return h.page.draw(w, r, http.StatusUnprocessableEntity, old, form, errs)
	}
	id, err := h.keepRecipe(r.Context(), old, form.recipe(site.Me(r)))
	if errors.Is(err, db.ErrFull) {
		return h.page.draw(w, r, http.StatusUnprocessableEntity, old, form, input.Errors{"": createview.RecipesFull})
	}
	if err != nil {
		return err
	}
	h.typing.Sent(w, r)
	return h.recipes.pages.SeeOther(w, r, fmt.Sprintf("/recipes/%d", id), recipeSaved)
}

func StatusFor(errs input.Errors) int {
	if errs != nil {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// of checks the form, and the pictures that are the same in every video. It
// clears From if the user may not see that video.
func (h *recipeCheck) of(r *http.Request, form *recipeForm) (input.Errors, error) {
	if err := h.fields.Settle(r, &form.Setup); err != nil {
		return nil, err
	}
	if form.Setup.Known && form.Setup.OptionsOf != "" && form.Setup.OptionsOf != form.Setup.Model {
		return input.Errors{"": createview.NewModelOfSaved}, nil
	}
	if errs := form.check(h.catalog); errs != nil {
		return errs, nil
	}
	if form.From != 0 {
		t, err := h.tasks.Task(r.Context(), form.From)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		if err != nil || !t.VisibleTo(site.Me(r).ID) {
			form.From = 0
		}
	}
	_, problems := h.pictures.Look(r.Context(), site.Me(r).ID, form.fixed(), form.Setup.SlowTold, nil)
	form.Setup.SlowTold = append(form.Setup.SlowTold, problems.Slow()...)
	return form.Setup.Errors(problems), nil
}

func (h *RecipeSaving) keepRecipe(ctx context.Context, old, rec ordering.Recipe) (int64, error) {
	if old.ID == 0 {
		err := h.recipes.recipes.AddRecipe(ctx, &rec)
		return rec.ID, err
	}
	_, err := h.recipes.recipes.UpdateRecipe(ctx, old.ID, func(kept *ordering.Recipe) error {
		rec.DeletedAt = kept.DeletedAt
		*kept = rec
		return nil
	})
	return old.ID, err
}
