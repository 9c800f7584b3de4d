package handlers

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"dailies/db"
	"dailies/views"
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
	if err := views.CreateOptions(page).Render(context.Background(), io.Discard); err != nil {
		return err
	}
	if errs == nil {
		tasks := f.variations(db.User{ID: 1}, v.Get("token"))
		if n := len(tasks); n != f.count() || n > mostVariations {
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
