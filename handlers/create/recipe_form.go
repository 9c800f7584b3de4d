package create

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/web/videoapi"
)

// recipeForm holds the submitted fields of a recipe. Its Setup is the form that makes
// a video, with blanks such as {{product}} in the prompt or in place of pictures.
type recipeForm struct {
	createview.RecipeFields
	From   int64 // the task whose values it starts with; 0 for none
	Setup  Form
	Absent string // words that were to become a blank, and are not in the prompt
}

// readRecipe reads the recipe from the values, which may come from anybody.
func readRecipe(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) recipeForm {
	text := func(name string) string { return strings.TrimSpace(site.PlainText(v.Get(name))) }
	f := recipeForm{RecipeFields: createview.NewRecipeFields(ordering.Recipe{}), Setup: ReadForm(scene, c, v)}
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
			return strings.TrimSpace(site.PlainText(site.Clip(v[name][i], MaxFilled)))
		}
		return ""
	}
	for i := range FirstValues(v["blank_name"]) {
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
	return recipeForm{RecipeFields: createview.NewRecipeFields(rec), From: rec.TaskID, Setup: FormOf(rec.Setup(), c)}
}

// recipe returns the recipe that a valid form describes.
func (f recipeForm) recipe(u db.User) ordering.Recipe {
	t, now := f.Setup.Task(u), db.Now()
	return ordering.Recipe{
		Name: f.Name.Value, Note: f.Note.Value, Ceiling: f.Ceiling.Amount, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Provider: t.Provider,
		Pictures: WithoutGaps(t.Pictures), Options: f.Setup.Chosen.Complete(t.Options), TaskID: f.From, CreatedBy: u.ID, CreatedAt: now, ChangedAt: now,
	}
}

// check returns the errors by field, or nil if the form is valid.
func (f recipeForm) check(c *videoapi.Catalog) input.Errors {
	errs := f.sample().Check(c)
	if errs == nil {
		errs = input.Errors{}
	}
	maps.Copy(errs, input.ErrorsOf(f.Inputs()...))
	if utf8.RuneCountInString(f.Setup.Prompt) > MaxPrompt {
		errs["prompt"] = createview.TooLong(MaxPrompt)
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
	rec := ordering.Recipe{Prompt: f.Setup.Prompt, Pictures: WithoutGaps(f.Setup.AllPictures())}
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
func (f recipeForm) sample() Form {
	s := f.Setup
	values := map[string]string{}
	for _, b := range (ordering.Recipe{Prompt: s.Prompt}).Blanks() {
		values[b.Key()] = b.Name
	}
	s.Prompt, _ = ordering.Recipe{Prompt: s.Prompt}.Fill(values)
	s.Pictures = slices.Clone(s.Pictures)
	for i := range s.Pictures {
		s.Pictures[i] = samplePicture(s.Pictures[i])
	}
	s.EndPicture = samplePicture(s.EndPicture)
	if s.Scene == videoapi.ReferenceToVideo && len(WithoutGaps(s.Pictures)) == 0 && mayHaveCast(f.Setup.Prompt) {
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
	return len(HandlesOf(db.Task{Prompt: prompt})) > 0 || slices.ContainsFunc(ordering.Pieces(prompt), func(p ordering.Piece) bool { return p.Blank != "" })
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
