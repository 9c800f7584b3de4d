package form

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"dailies/db"
	"dailies/handlers/picture"
	"dailies/handlers/press"
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
		tasks := press.Variations(c, f.Task(db.User{ID: 1}), f.count(), v.Get("token"))
		if n := len(tasks); n != f.count() || n > site.MostVariations {
			return fmt.Errorf("%d tasks for %d videos", n, f.count())
		}
		t := tasks[0]
		t.Pictures, t.Options = picture.WithoutGaps(t.Pictures), f.Chosen.Complete(t.Options)
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
