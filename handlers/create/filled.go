package create

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/video"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// A Filling is a recipe whose blanks a program fills in.
type Filling struct {
	Recipe int64             // its ID
	Blanks map[string]string // values by the name of the blank
	Count  int               // how many videos are made of it
}

// Fillings turns recipes that programs fill in into orders.
type Fillings struct {
	casting *Casting
	catalog *videoapi.Catalog
	prices  Prices
	recipes *video.Recipes
}

// BlankFields is how the fields of blanks begin in problems of a Filling. The blank's name
// follows.
const BlankFields = "blanks."

// Order returns the person's order for the recipe as it is filled in. at turns the fields of
// the order's problems into those of the blanks.
func (h *Fillings) Order(ctx context.Context, u db.User, filled Filling) (o Order, at func(field string) string, problems Problems, err error) {
	rec, err := h.recipes.Recipe(ctx, filled.Recipe)
	if err == nil && !rec.DeletedAt.IsZero() {
		err = db.ErrNotFound
	}
	if err != nil {
		return o, nil, nil, err
	}
	f := FilledForm{Recipe: rec, Blanks: rec.Blanks(), Values: map[string]string{}}
	if problems := f.fill(filled.Blanks); problems != nil {
		return o, nil, problems, nil
	}
	if f.Company, err = h.casting.Of(ctx, f.Task(u)); err != nil {
		return o, nil, nil, err
	}
	if errs := f.Check(h.catalog); errs != nil {
		return o, nil, f.problems(errs), nil
	}
	price, err := h.prices.Read(ctx, rec.Setup())
	if err != nil {
		return o, nil, nil, err
	}
	if rec.Over(price.Credits) {
		card := createview.RecipeCard{Recipe: rec, Change: rec.ChangeableBy(u)}
		return o, nil, Problems{{Kind: OverLimit, Text: createview.OverCeiling(card, price)}}, nil
	}
	return Order{User: u, Tasks: Variations(h.catalog, f.Task(u), filled.Count, secrets.NewToken())}, f.field, nil, nil
}

// fill sets the values of the blanks, and returns a problem for a name that no blank has.
func (f *FilledForm) fill(values map[string]string) (problems Problems) {
	known := map[string]bool{}
	for _, b := range f.Blanks {
		known[b.Key()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if key := ordering.BlankKey(name); known[key] {
			f.Values[key] = FilledText(values[name])
		} else {
			problems = append(problems, Problem{Field: blankField(name), Text: createview.NoSuchBlank})
		}
	}
	return problems
}

func blankField(name string) string { return fmt.Sprintf("%s%s", BlankFields, name) }

// problems returns the errors of the form as problems of blanks.
func (f FilledForm) problems(errs map[string]string) (problems Problems) {
	for i, b := range f.Blanks {
		if text := errs[createview.BlankError(i)]; text != "" {
			problems = append(problems, Problem{Field: blankField(b.Name), Text: text})
		}
	}
	if text := errs[""]; text != "" {
		problems = append(problems, Problem{Text: text})
	}
	return problems
}

// field returns the field of the blank that fills the field of the form, or else the
// latter.
func (f FilledForm) field(name string) string {
	if at := f.blankOf(name); at >= 0 && (name == "prompt" || strings.HasPrefix(name, "image_input")) {
		return blankField(f.Blanks[at].Name)
	}
	return name
}
