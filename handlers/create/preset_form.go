package create

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// presetForm holds the submitted fields of a recipe. Its Setup is the form that makes
// a video, with blanks such as {{product}} in the prompt or in place of pictures.
type presetForm struct {
	Name, Note, Ceiling string
	From                int64 // the task whose values it starts with; 0 for none
	Setup               form
}

// readPreset reads the recipe from the values, which may come from anybody.
func readPreset(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) presetForm {
	text := func(name string) string { return strings.TrimSpace(site.PlainText(v.Get(name))) }
	f := presetForm{
		Name: db.CleanName(v.Get("name")), Note: db.CleanLines(v.Get("note")), Ceiling: text("ceiling"),
		Setup: readForm(scene, c, v),
	}
	if from, err := strconv.ParseInt(v.Get("from"), 10, 64); err == nil && from > 0 {
		f.From = from
	}
	f.Setup.Pictures = f.Setup.inputs()
	for _, field := range v["ask"][:min(len(v["ask"]), 20)] {
		f.Setup.put(field, "{{"+text("asked."+field)+"}}")
	}
	return f
}

// presetFormOf returns the form for an existing recipe.
func presetFormOf(rec db.Recipe, c *videoapi.Catalog) presetForm {
	f := presetForm{Name: rec.Name, Note: rec.Note, From: rec.TaskID, Setup: formOf(rec.Setup(), c)}
	if rec.Ceiling.Known {
		f.Ceiling = strconv.FormatFloat(rec.Ceiling.Amount, 'f', -1, 64)
	}
	return f
}

// recipe returns the recipe that a valid form describes.
func (f presetForm) recipe(u db.User) db.Recipe {
	t, now := f.Setup.task(u), db.Now()
	rec := db.Recipe{
		Name: f.Name, Note: f.Note, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Provider: t.Provider,
		Pictures: withoutGaps(t.Pictures), Options: f.Setup.Chosen.Complete(t.Options), TaskID: f.From, CreatedBy: u.ID, CreatedAt: now, ChangedAt: now,
	}
	if amount, ok := ceiling(f.Ceiling); ok && f.Ceiling != "" {
		rec.Ceiling = db.CreditsOf(amount)
	}
	return rec
}

// ceiling parses an amount of credits; an empty text is valid and means no ceiling.
func ceiling(s string) (amount float64, ok bool) {
	if s == "" {
		return 0, true
	}
	return site.Credits(s, 1e6)
}

// check returns the errors by field, or nil if the form is valid.
func (f presetForm) check(p *Press) part.Errors {
	errs := f.sample().check(p)
	if errs == nil {
		errs = part.Errors{}
	}
	switch n := utf8.RuneCountInString(f.Name); {
	case n == 0:
		errs["name"] = "Please give the recipe a name."
	case n > createview.MaxRecipeName:
		errs["name"] = fmt.Sprintf("Please use at most %d characters.", createview.MaxRecipeName)
	}
	if utf8.RuneCountInString(f.Note) > createview.MaxRecipeNote {
		errs["note"] = fmt.Sprintf("Please use at most %d characters.", createview.MaxRecipeNote)
	}
	if _, ok := ceiling(f.Ceiling); !ok {
		errs["ceiling"] = "Please give a number of credits, such as 40, or leave it empty."
	}
	if utf8.RuneCountInString(f.Setup.Prompt) > maxPrompt {
		errs["prompt"] = fmt.Sprintf(longPrompt, maxPrompt)
	}
	f.checkBlanks(errs)
	if len(errs) == 0 {
		return nil
	}
	return errs
}

func (f presetForm) checkBlanks(errs part.Errors) {
	rec := db.Recipe{Prompt: f.Setup.Prompt, Pictures: withoutGaps(f.Setup.pictures())}
	for field, picture := range f.Setup.pictureFields() {
		if _, ok := db.PictureBlank(picture); strings.HasPrefix(picture, "{{") && !ok {
			delete(errs, field)
			errs["asked."+field] = fmt.Sprintf("Please name it with letters, digits, spaces, - or _, at most %d of them.", db.MaxBlankName)
		}
	}
	if clash := rec.Clash(); clash != "" && errs["prompt"] == "" {
		errs["prompt"] = fmt.Sprintf("“%s” cannot be words here and a picture below. Please give one of them another name.", clash)
	}
	if n := len(rec.Blanks()); n > db.MaxBlanks && errs["prompt"] == "" {
		errs["prompt"] = fmt.Sprintf("A recipe asks for at most %d things; this one asks for %d.", db.MaxBlanks, n)
	}
}

// sample returns the form of a video with an example value in each blank, so that it
// can be checked like any video.
func (f presetForm) sample() form {
	s := f.Setup
	values := map[string]string{}
	for _, b := range (db.Recipe{Prompt: s.Prompt}).Blanks() {
		values[b.Key()] = b.Name
	}
	s.Prompt, _ = db.Recipe{Prompt: s.Prompt}.Fill(values)
	s.Pictures = slices.Clone(s.Pictures)
	for i := range s.Pictures {
		s.Pictures[i] = samplePicture(s.Pictures[i])
	}
	s.EndPicture = samplePicture(s.EndPicture)
	return s
}

func samplePicture(picture string) string {
	if _, ok := db.PictureBlank(picture); ok {
		return "https://example.com/picture"
	}
	return picture
}

// fixed returns the pictures that are the same in every video. Pictures to be filled
// in are left empty.
func (f presetForm) fixed() []string {
	pictures := f.Setup.pictures()
	for i, p := range pictures {
		if _, asked := db.PictureBlank(p); asked {
			pictures[i] = ""
		}
	}
	return pictures
}
