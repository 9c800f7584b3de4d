package create

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// TryForm runs the form that makes a video through everything that happens before it
// is sent.
func TryForm(scene string, v url.Values) error {
	s := videoapi.Scene(scene)
	if !s.Valid() {
		return nil
	}
	c := videoapi.DefaultCatalog()
	f := ReadForm(s, c, v)
	errs := f.Check(c)
	page := f.View(c, "token")
	page.Errors = errs
	if err := createview.CreateOptions(page).Render(context.Background(), io.Discard); err != nil {
		return err
	}
	if errs == nil {
		tasks := Variations(c, f.Task(db.User{ID: 1}), f.count(), v.Get("token"))
		if n := len(tasks); n != f.count() || n > site.MostVariations {
			return fmt.Errorf("%d tasks for %d videos", n, f.count())
		}
		t := tasks[0]
		t.Pictures, t.Options = WithoutGaps(t.Pictures), f.Chosen.Complete(t.Options)
		again := FormOf(t, c)
		if errs := again.Check(c); errs != nil && len(t.Pictures) == len(f.Pictures) {
			return fmt.Errorf("made again, %+v says %v", t, errs)
		}
		if again := again.Task(db.User{ID: 1}); again.Model != t.Model || len(again.Pictures) != len(t.Pictures) {
			return fmt.Errorf("made again, %+v is %+v", t, again)
		}
	}
	f.Adapt(c)
	if left := f.Adapt(c); len(left) > 0 {
		return fmt.Errorf("fitted twice, it still changes: %q", left)
	}
	return nil
}

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
	if again := recipeFormOf(rec, c).recipe(db.User{ID: 1}); again.Prompt != rec.Prompt || !slices.Equal(again.Pictures, rec.Pictures) || again.Ceiling != rec.Ceiling {
		return fmt.Errorf("opened again, %+v is %+v", rec, again)
	}
	for _, b := range rec.Blanks() {
		if v.Set(createview.BlankField(b), "a cup"); b.Picture {
			v.Set(createview.BlankField(b), "https://example.com/a.png")
		}
	}
	filled := ReadFilling(rec, v)
	t := filled.Task(db.User{ID: 1})
	if errs := filled.Check(c); errs != nil && len([]rune(t.Prompt)) <= MaxPrompt {
		return fmt.Errorf("filled in, %+v says %v", rec, errs)
	}
	if t.Model != rec.Model {
		return fmt.Errorf("filled in, %s became %s", rec.Model, t.Model)
	}
	return nil
}

// AwaitOnlyBells disables polling and timeouts while submissions wait for their
// outcome, until the test ends.
func AwaitOnlyBells(t *testing.T) {
	wait, look := outcomeWait, outcomeLook
	outcomeWait, outcomeLook = time.Hour, time.Hour
	t.Cleanup(func() { outcomeWait, outcomeLook = wait, look })
}

// HangBells registers two bells for overlapping tasks and removes both. It returns how
// many are left, and whether requests waited before, meanwhile and after that.
func HangBells() (left int, waited []bool) {
	var b bells
	waited = append(waited, b.hasWaiters())
	tasks := []db.Task{{FormToken: "a"}, {FormToken: "b"}}
	_, one := b.hang(tasks)
	bell, other := b.hang(tasks[:1])
	b.ring(tasks[0])
	<-bell
	one()
	waited = append(waited, b.hasWaiters())
	other()
	return len(b.of), append(waited, b.hasWaiters())
}
