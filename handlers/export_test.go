package handlers

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// TryForm takes the form that makes a video through everything that is done
// with it before it is sent.
func TryForm(scene string, v url.Values) error {
	s := videoapi.Scene(scene)
	if !s.Valid() {
		return nil
	}
	c := videoapi.DefaultCatalog()
	f := readForm(s, c, v)
	errs := f.check()
	page := f.view(c, "token")
	page.Errors = errs
	if err := createview.CreateOptions(page).Render(context.Background(), io.Discard); err != nil {
		return err
	}
	if errs == nil {
		tasks := f.variations(db.User{ID: 1}, v.Get("token"))
		if n := len(tasks); n != f.count() || n > site.MostVariations {
			return fmt.Errorf("%d tasks for %d videos", n, f.count())
		}
		t := tasks[0]
		if again := formOf(t, c).task(db.User{ID: 1}); again.Model != t.Model || len(again.Pictures) != len(t.Pictures) {
			return fmt.Errorf("made again, %+v is %+v", t, again)
		}
	}
	f.adapt(c)
	if left := f.adapt(c); len(left) > 0 {
		return fmt.Errorf("fitted twice, it still changes: %q", left)
	}
	return nil
}

// TryRecipe takes a recipe through everything that is done with it before a
// video of it is sent: it is kept, opened again, and filled in.
func TryRecipe(scene string, v url.Values) error {
	s := videoapi.Scene(scene)
	if !s.Valid() {
		return nil
	}
	c := videoapi.DefaultCatalog()
	f := readRecipe(s, c, v)
	if f.check() != nil {
		return nil
	}
	rec := f.recipe(db.User{ID: 1})
	if again := recipeFormOf(rec, c).recipe(db.User{ID: 1}); again.Prompt != rec.Prompt || !slices.Equal(again.Pictures, rec.Pictures) || again.Ceiling != rec.Ceiling {
		return fmt.Errorf("opened again, %+v is %+v", rec, again)
	}
	for _, b := range rec.Blanks() {
		if v.Set(createview.BlankField(b), "a cup"); b.Picture {
			v.Set(createview.BlankField(b), "https://example.com/a.png")
		}
	}
	filled := readFilling(rec, v)
	form := filled.form(c)
	if errs := filled.check(form); errs != nil && len([]rune(form.Prompt)) <= maxPrompt {
		return fmt.Errorf("filled in, %+v says %v", rec, errs)
	}
	if form.Model != rec.Model {
		return fmt.Errorf("filled in, %s became %s", rec.Model, form.Model)
	}
	return nil
}

// OutcomeLook is how often a press looks for its outcome when nothing rings.
const OutcomeLook = outcomeLook

// Bells returns how many bells hang.
func Bells(a *App) int {
	a.bells.mu.Lock()
	defer a.bells.mu.Unlock()
	return len(a.bells.of)
}
