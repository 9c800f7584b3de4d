package recipe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	formroom "dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/web"
	"dailies/web/videoapi"
)

// New shows an empty recipe of a scene (?scene=), one with the values of a video
// (?from=7), or one with values from the URL.
func (h *Recipe) New(w http.ResponseWriter, r *http.Request) error {
	form, err := h.startingRecipe(r)
	if err != nil {
		return err
	}
	return h.drawEditor(w, r, http.StatusOK, ordering.Recipe{}, form, nil)
}

func (h *Recipe) startingRecipe(r *http.Request) (recipeForm, error) {
	query := r.URL.Query()
	if typed, err := h.typed.Typed(r); err != nil {
		return recipeForm{}, err
	} else if typed != nil {
		query = typed
	}
	form := readRecipe(sceneIn(query), h.catalog, query)
	if form.From == 0 {
		return form, nil
	}
	t, err := h.tasks.Task(r.Context(), form.From)
	if err == nil && !t.VisibleTo(site.Me(r).ID) {
		err = web.NotFound()
	}
	if err == nil && !query.Has("options_of") { // otherwise the URL contains all values
		if t, _, err = h.press.AsTyped(r.Context(), t); err != nil {
			return form, err
		}
		form.Setup = formroom.FormOf(t, h.catalog)
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
func (h *Recipe) Options(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	form := readRecipe(sceneIn(query), h.catalog, query)
	edit, err := h.editor(r, ordering.Recipe{}, form, nil)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.RecipeOptions(edit.Form))
}

// Edit shows the page for changing a recipe.
func (h *Recipe) Edit(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.editableRecipe(r)
	if err != nil {
		return err
	}
	form, query := recipeFormOf(rec, h.catalog), r.URL.Query()
	if typed, err := h.typed.Typed(r); err != nil {
		return err
	} else if typed != nil {
		query = typed
	}
	if query.Has("options_of") {
		form = readRecipe(videoapi.Scene(rec.Scene), h.catalog, query)
	}
	return h.drawEditor(w, r, http.StatusOK, rec, form, nil)
}

func (h *Recipe) drawEditor(w http.ResponseWriter, r *http.Request, status int, rec ordering.Recipe, form recipeForm,
	errs input.Errors) error {
	edit, err := h.editor(r, rec, form, errs)
	if err != nil {
		return err
	}
	if err := h.making.FillEarlier(r, &edit.Form); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, edit.Title(), createview.EditRecipe(edit))
}

// editor returns the editor's data for its page, with the options adapted to the
// model.
func (h *Recipe) editor(r *http.Request, rec ordering.Recipe, form recipeForm, errs input.Errors) (createview.RecipeEdit, error) {
	var notes []string
	if errs == nil || errs[""] != "" {
		notes = form.Setup.Adapt(h.catalog)
	}
	view, err := h.making.View(r, nil, form.Setup, errs, notes)
	if err != nil {
		return createview.RecipeEdit{}, err
	}
	edit := createview.RecipeEdit{Recipe: rec, Fields: form.RecipeFields, From: form.From, Form: view}
	edit.Form.Blanks = true
	errs.Mark(edit.Fields.Inputs()...)
	edit.Form.Paths = createview.FormPaths{
		Look: "/recipes/new", Options: createview.RecipeOptionsPath(videoapi.Scene(form.Setup.Scene)), Upload: "/recipes",
	}
	if rec.ID != 0 {
		path := "/recipes/" + strconv.FormatInt(rec.ID, 10) + "/edit"
		edit.Form.Paths.Look, edit.Form.Paths.Upload = path, path
	}
	return edit, nil
}

// Add stores a new recipe.
func (h *Recipe) Add(w http.ResponseWriter, r *http.Request) error {
	return h.saveRecipe(w, r, ordering.Recipe{})
}

// Save stores the changes to a recipe.
func (h *Recipe) Save(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.editableRecipe(r)
	if err != nil {
		return err
	}
	return h.saveRecipe(w, r, rec)
}

// saveRecipe stores the submitted values as a recipe, which is a new one if old has
// no ID. If pictures were uploaded or picked, it shows the form with them instead.
func (h *Recipe) saveRecipe(w http.ResponseWriter, r *http.Request, old ordering.Recipe) error {
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	scene := sceneIn(values)
	if old.ID != 0 {
		scene = videoapi.Scene(old.Scene)
	}
	form := readRecipe(scene, h.catalog, values)
	if len(formroom.Pressed(came, values)) > 0 {
		_, errs := form.Setup.TakeUploads(came, values)
		return h.drawEditor(w, r, formroom.StatusFor(errs), old, form, errs)
	}
	errs, err := h.checkRecipe(r, &form)
	if err != nil {
		return err
	}
	if errs = formroom.AddUploadErrors(errs, values); errs != nil {
		return h.drawEditor(w, r, http.StatusUnprocessableEntity, old, form, errs)
	}
	id, err := h.keepRecipe(r.Context(), old, form.recipe(site.Me(r)))
	if errors.Is(err, db.ErrFull) {
		return h.drawEditor(w, r, http.StatusUnprocessableEntity, old, form, input.Errors{"": createview.RecipesFull})
	}
	if err != nil {
		return err
	}
	h.typed.Sent(w, r)
	return h.pages.SeeOther(w, r, fmt.Sprintf("/recipes/%d", id), recipeSaved)
}

// checkRecipe checks the form, and the pictures that are the same in every video. It clears
// From if the user may not see that video.
func (h *Recipe) checkRecipe(r *http.Request, form *recipeForm) (input.Errors, error) {
	if err := h.making.SettlePictures(r, &form.Setup); err != nil {
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

func (h *Recipe) keepRecipe(ctx context.Context, old, rec ordering.Recipe) (int64, error) {
	if old.ID == 0 {
		err := h.recipes.AddRecipe(ctx, &rec)
		return rec.ID, err
	}
	_, err := h.recipes.UpdateRecipe(ctx, old.ID, func(kept *ordering.Recipe) error {
		rec.DeletedAt = kept.DeletedAt
		*kept = rec
		return nil
	})
	return old.ID, err
}

// recipeForm holds the submitted fields of a recipe. Its Setup is the form that makes
// a video, with blanks such as {{product}} in the prompt or in place of pictures.
type recipeForm struct {
	createview.RecipeFields
	From   int64 // the task whose values it starts with; 0 for none
	Setup  formroom.Form
	Absent string // words that were to become a blank, and are not in the prompt
}

// readRecipe reads the recipe from the values, which may come from anybody.
func readRecipe(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) recipeForm {
	text := func(name string) string { return strings.TrimSpace(site.PlainText(v.Get(name))) }
	f := recipeForm{RecipeFields: createview.NewRecipeFields(ordering.Recipe{}), Setup: formroom.ReadForm(scene, c, v)}
	site.ReadInputs(v, f.Inputs()...)
	if from, err := strconv.ParseInt(v.Get("from"), 10, 64); err == nil && from > 0 {
		f.From = from
	}
	f.editBlanks(v)
	f.Setup.Pictures = f.Setup.Inputs()
	for _, field := range v["ask"][:min(len(v["ask"]), 20)] {
		f.Setup.Put(field, "{{"+text("asked."+field)+"}}")
	}
	return f
}

// editBlanks puts into the prompt what was written beside it about its blanks.
func (f *recipeForm) editBlanks(v url.Values) {
	at := func(name string, i int) string {
		if i < len(v[name]) {
			return strings.TrimSpace(site.PlainText(site.Clip(v[name][i], formroom.MaxFilled)))
		}
		return ""
	}
	for i := range formroom.FirstValues(v["blank_name"]) {
		edit := ordering.BlankEdit{Was: at("blank_was", i), Name: at("blank_name", i), Words: at("blank_words", i)}
		prompt, found := edit.Edit(f.Setup.Prompt)
		f.Setup.Prompt = prompt
		if !found && edit.Was == "" && edit.Words != "" && edit.Name != "" {
			f.Absent = edit.Words
		}
	}
}

// recipeFormOf returns the form for an existing recipe.
func recipeFormOf(rec ordering.Recipe, c *videoapi.Catalog) recipeForm {
	return recipeForm{RecipeFields: createview.NewRecipeFields(rec), From: rec.TaskID, Setup: formroom.FormOf(rec.Setup(), c)}
}

// recipe returns the recipe that a valid form describes.
func (f recipeForm) recipe(u db.User) ordering.Recipe {
	request, now := f.Setup.Task(u).Request, db.Now()
	request.Pictures, request.Options = picture.WithoutGaps(request.Pictures), f.Setup.Chosen.Complete(request.Options)
	return ordering.Recipe{
		Name: f.Name.Value, Note: f.Note.Value, Ceiling: f.Ceiling.Amount, Request: request,
		TaskID: f.From, CreatedBy: u.ID, CreatedAt: now, ChangedAt: now,
	}
}

// check returns the errors by field, or nil if the form is valid.
func (f recipeForm) check(c *videoapi.Catalog) input.Errors {
	errs := f.sample().Check(c)
	if errs == nil {
		errs = input.Errors{}
	}
	maps.Copy(errs, input.ErrorsOf(f.Inputs()...))
	if utf8.RuneCountInString(f.Setup.Prompt) > press.MaxPrompt {
		errs["prompt"] = createview.TooLong(press.MaxPrompt)
	}
	f.checkBlanks(errs)
	if f.Absent != "" && errs["prompt"] == "" {
		errs["prompt"] = createview.NotInPrompt(site.Clip(f.Absent, 60))
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

func (f recipeForm) checkBlanks(errs input.Errors) {
	rec := ordering.Recipe{Request: db.Request{Prompt: f.Setup.Prompt, Pictures: picture.WithoutGaps(f.Setup.AllPictures())}}
	for field, picture := range f.Setup.PictureFields() {
		if _, ok := ordering.PictureBlank(picture); strings.HasPrefix(picture, "{{") && !ok {
			delete(errs, field)
			errs["asked."+field] = createview.BlankNameOdd()
		}
	}
	if clash := rec.Clash(); clash != "" && errs["prompt"] == "" {
		errs["prompt"] = createview.BlankClash(clash)
	}
	if n := len(rec.Blanks()); n > ordering.MaxBlanks && errs["prompt"] == "" {
		errs["prompt"] = createview.TooManyBlanks(n)
	}
}

// sample returns the form of a video with an example value in each blank, so that it
// can be checked like any video.
func (f recipeForm) sample() formroom.Form {
	s := f.Setup
	values := map[string]string{}
	for _, b := range (ordering.Recipe{Request: db.Request{Prompt: s.Prompt}}).Blanks() {
		values[b.Key()] = b.Name
	}
	s.Prompt, _ = ordering.Recipe{Request: db.Request{Prompt: s.Prompt}}.Fill(values)
	s.Pictures = slices.Clone(s.Pictures)
	for i := range s.Pictures {
		s.Pictures[i] = samplePicture(s.Pictures[i])
	}
	s.EndPicture = samplePicture(s.EndPicture)
	if s.Scene == string(videoapi.ReferenceToVideo) && len(picture.WithoutGaps(s.Pictures)) == 0 && mayHaveCast(f.Setup.Prompt) {
		s.Pictures = []string{sampleAddress}
	}
	return s
}

const sampleAddress = "https://example.com/picture"

func samplePicture(picture string) string {
	_, blank := ordering.PictureBlank(picture)
	if _, ofCast := cast.ParseChoice(picture); blank || ofCast {
		return sampleAddress
	}
	return picture
}

// mayHaveCast reports whether a cast member may be in the prompt, whose pictures are then
// sent: it is named there, or a blank may be filled with one.
func mayHaveCast(prompt string) bool {
	hasBlank := func(p ordering.Piece) bool { return p.Blank != "" }
	return len(press.HandlesOf(db.Task{Request: db.Request{Prompt: prompt}})) > 0 || slices.ContainsFunc(ordering.Pieces(prompt), hasBlank)
}

// fixed returns the pictures that are the same in every video. Pictures to be filled
// in, and those of cast members, are left empty.
func (f recipeForm) fixed() []string {
	pictures := f.Setup.AllPictures()
	for i, p := range pictures {
		_, asked := ordering.PictureBlank(p)
		if _, ofCast := cast.ParseChoice(p); asked || ofCast {
			pictures[i] = ""
		}
	}
	return pictures
}
