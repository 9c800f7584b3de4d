package recipe

import (
	"fmt"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/handlers/form"
	"dailies/handlers/press"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// TryRecipe runs a recipe through everything that happens before a video of it is
// sent: it is stored, opened again and filled in.
func TryRecipe(scene string, v url.Values) error {
	s := videoapi.Scene(scene)
	if !s.Valid() {
		return nil
	}
	c := videoapi.DefaultCatalog()
	f := readRecipe(s, c, v)
	if f.check(c) != nil {
		return nil
	}
	rec := f.recipe(db.User{ID: 1})
	again := recipeFormOf(rec, c).recipe(db.User{ID: 1})
	if again.Prompt != rec.Prompt || !slices.Equal(again.Pictures, rec.Pictures) || again.Ceiling != rec.Ceiling {
		return fmt.Errorf("opened again, %+v is %+v", rec, again)
	}
	for _, b := range rec.Blanks() {
		if v.Set(createview.BlankField(b), "a cup"); b.Picture {
			v.Set(createview.BlankField(b), "https://example.com/a.png")
		}
	}
	filled := form.ReadFilling(rec, v)
	t := filled.Task(db.User{ID: 1})
	if errs := filled.Check(press.Company(nil).Check(c, t, nil)); errs != nil && len([]rune(t.Prompt)) <= press.MaxPrompt {
		return fmt.Errorf("filled in, %+v says %v", rec, errs)
	}
	if t.Model != rec.Model {
		return fmt.Errorf("filled in, %s became %s", rec.Model, t.Model)
	}
	return nil
}
