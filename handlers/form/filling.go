package form

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
)

// FilledForm holds the values for the blanks of a recipe.
type FilledForm struct {
	Recipe ordering.Recipe
	Blanks []ordering.Blank
	Values map[string]string // by the key of the blank

	Own option.Text // length, shape and resolution, where a row of a table has its own

	Anyway   bool     // make the video although the ceiling cannot be checked
	Seen     string   // time of the last change of the recipe that the user saw
	SlowTold []string // as in form
	Refused  *db.Task

	// Company holds the cast members that the values and the recipe name, and Strangers the
	// handles in them that nobody in the cast has. Both are empty until they are looked up.
	Company   press.Company
	Strangers []createview.Stranger

	ShownStrangers, ShownMembers []string // as in formCasting
}

// ReadFilling reads the values of the recipe's blanks. It ignores fields for anything
// else.
func ReadFilling(rec ordering.Recipe, v url.Values) FilledForm {
	f := FilledForm{
		Recipe: rec, Blanks: rec.Blanks(), Values: map[string]string{},
		Anyway: option.Switch(v.Get("anyway")) == "true", Seen: v.Get("changed"), SlowTold: FirstValues(v["slow_told"]),
		ShownStrangers: press.HandlesIn(v.Get(createview.ToldField)), ShownMembers: press.HandlesIn(v.Get(createview.MetField)),
	}
	for _, b := range f.Blanks {
		f.Values[b.Key()] = FilledText(v.Get(createview.BlankField(b)))
	}
	return f
}

// MaxFilled is the length in bytes at which the value of a blank is cut, far more
// than fits into a prompt.
const MaxFilled = 16 << 10

func FilledText(s string) string { return strings.TrimSpace(site.PlainText(site.Clip(s, MaxFilled))) }

// Fields returns the values as form fields, to be submitted again.
func (f FilledForm) Fields() url.Values {
	v := url.Values{}
	for _, b := range f.Blanks {
		if value := f.Values[b.Key()]; value != "" {
			v.Set(createview.BlankField(b), value)
		}
	}
	return v
}

// IsStale reports whether the recipe was changed since the change that the user has seen.
func IsStale(rec ordering.Recipe, seen string) bool {
	return seen != "" && seen != strconv.FormatInt(rec.ChangedAt.UnixMilli(), 10)
}

// Task returns the task that the filling describes.
func (f FilledForm) Task(u db.User) db.Task {
	t := f.Recipe.Task(f.Values)
	for name, text := range f.Own {
		t.Options, _ = t.Options.With(name, text)
	}
	t.UserID, t.CreatedAt = u.ID, db.Now()
	return t
}

// Check returns the errors by blank, or nil if the filling is valid. The problems are those of
// its video.
func (f FilledForm) Check(problems site.Problems) (errs input.Errors) {
	for i, b := range f.Blanks {
		if f.Values[b.Key()] == "" {
			errs.Set(createview.BlankError(i), createview.BlankMissing(b))
		}
	}
	if errs != nil {
		return errs
	}
	return f.Place(problems)
}

// Place assigns the problems of the video to the blanks that cause them. A problem
// that no blank can solve becomes a message to ask the recipe's maker.
func (f FilledForm) Place(problems site.Problems) input.Errors {
	if len(problems) == 0 {
		return nil
	}
	placed, broken := input.Errors{}, ""
	for _, p := range problems {
		switch at := f.blankOf(p.Field); {
		case f.Own[p.Field] != "": // said beside it
		case p.Field == "", p.Field == createview.CastField:
			placed[""] = p.Text
		case at >= 0:
			placed[createview.BlankError(at)] = f.fitting(p.Field, p.Text)
		case broken == "":
			broken = p.Text
		}
	}
	if len(placed) == 0 && broken == "" {
		return nil
	}
	if broken != "" {
		placed[""] = createview.RecipeBroken(broken, f.Recipe)
	}
	return placed
}

// blankOf returns the index of the blank that fills the form's field, or -1. For the
// prompt it returns the blank with the longest value.
func (f FilledForm) blankOf(field string) int {
	longest, at := 0, -1
	key := f.pictureKey(field)
	for i, b := range f.Blanks {
		switch n := utf8.RuneCountInString(f.Values[b.Key()]); {
		case key != "" && b.Key() == key:
			return i
		case field == "prompt" && !b.Picture && n > longest:
			longest, at = n, i
		}
	}
	return at
}

// pictureKey returns the key of the blank that fills the picture field, or "" if
// there is none.
func (f FilledForm) pictureKey(field string) string {
	for i, p := range f.Recipe.Pictures {
		name, ok := ordering.PictureBlank(p)
		if ok && field == site.PictureField(i) {
			return ordering.BlankKey(name)
		}
	}
	return ""
}

// fitting returns the problem's text for a blank: for the prompt, a text about its
// length after filling in.
func (f FilledForm) fitting(field, text string) string {
	if field != "prompt" {
		return text
	}
	prompt, _ := f.Recipe.Fill(f.Values)
	if over := utf8.RuneCountInString(prompt) - press.MaxPrompt; over > 0 {
		return createview.FilledTooLong(over)
	}
	return text // the names and looks of the cast make it too long
}

// Take puts uploaded or picked pictures into the blanks. It returns errors for
// unusable files.
func (f *FilledForm) Take(came []picture.Upload) (errs input.Errors) {
	for _, one := range came {
		at := f.pictureBlank(one.Field)
		if at < 0 {
			continue
		}
		f.Values[f.Blanks[at].Key()] = one.Note.Address // empty for an unusable file
		if one.Note.Bad {
			errs.Set(createview.BlankError(at), one.Note.Text)
		}
	}
	return errs
}

// pictureBlank returns the index of the blank with that field name, or else of the
// first empty picture blank, or else of the last picture blank, or -1.
func (f FilledForm) pictureBlank(field string) int {
	free, last := -1, -1
	for i, b := range f.Blanks {
		if !b.Picture {
			continue
		}
		if field == createview.BlankError(i) {
			return i
		}
		if last = i; free < 0 && f.Values[b.Key()] == "" {
			free = i
		}
	}
	if free >= 0 {
		return free
	}
	return last
}

// BlankFields is how the fields of blanks begin in problems of a recipe that a program fills in. The blank's name
// follows.
const BlankFields = "blanks."

// Fill returns the recipe as it is filled in by a program, or the problems of the names of
// blanks.
func (h *Making) Fill(ctx context.Context, recipeID int64, blanks map[string]string) (f FilledForm, problems site.Problems, err error) {
	rec, err := h.recipes.Recipe(ctx, recipeID)
	if err == nil && !rec.DeletedAt.IsZero() {
		err = db.ErrNotFound
	}
	if err != nil {
		return f, nil, err
	}
	f = FilledForm{Recipe: rec, Blanks: rec.Blanks(), Values: map[string]string{}}
	return f, f.fill(blanks), nil
}

// OverCeiling returns a problem if the price of one video exceeds the recipe's ceiling.
func (f FilledForm) OverCeiling(u db.User, price part.Price) site.Problems {
	if !f.Recipe.Over(price.Credits) {
		return nil
	}
	card := createview.RecipeCard{Recipe: f.Recipe, Change: f.Recipe.ChangeableBy(u)}
	return site.Problems{{Kind: site.OverLimit, Text: createview.OverCeiling(card, price)}}
}

// fill sets the values of the blanks, and returns a problem for a name that no blank has.
func (f *FilledForm) fill(values map[string]string) (problems site.Problems) {
	known := map[string]bool{}
	for _, b := range f.Blanks {
		known[b.Key()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if key := ordering.BlankKey(name); known[key] {
			f.Values[key] = FilledText(values[name])
		} else {
			problems = append(problems, site.Problem{Field: blankField(name), Text: createview.NoSuchBlank})
		}
	}
	return problems
}

func blankField(name string) string { return fmt.Sprintf("%s%s", BlankFields, name) }

// Problems returns the problems of the filled-in recipe as those of its blanks.
func (f FilledForm) Problems(of site.Problems) (problems site.Problems) {
	errs := f.Check(of)
	for i, b := range f.Blanks {
		if text := errs[createview.BlankError(i)]; text != "" {
			problems = append(problems, site.Problem{Field: blankField(b.Name), Text: text})
		}
	}
	if text := errs[""]; text != "" {
		problems = append(problems, site.Problem{Text: text})
	}
	return problems
}

// Field returns the field of the blank that fills the field of the form, or else the
// latter.
func (f FilledForm) Field(name string) string {
	if at := f.blankOf(name); at >= 0 && (name == "prompt" || strings.HasPrefix(name, "image_input")) {
		return blankField(f.Blanks[at].Name)
	}
	return name
}

// RenameBlanks puts another handle in the place of one that nobody has, if a button of the
// form asks for that. It returns the fields that it changed.
func RenameBlanks(rec ordering.Recipe, v url.Values) (renamed []createview.Renamed) {
	rename, ok := press.Renaming(v.Get(createview.UseField))
	if !ok {
		return nil
	}
	for _, b := range rec.Blanks() {
		name := createview.BlankField(b)
		if was, is := v.Get(name), rename(FilledText(v.Get(name))); was != is {
			v.Set(name, is)
			renamed = append(renamed, createview.Renamed{Field: name, Text: is})
		}
	}
	return renamed
}
