package library

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/web"
)

// tryShare reads the forms of links and of collections, and reports what they
// let through that they must not.
func tryShare(v url.Values) error {
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{}, Form: v, PostForm: v}
	s, form := readShare(r)
	life := s.ExpiresAt.Sub(s.CreatedAt)
	if form.Errors == nil && (utf8.RuneCountInString(s.Title) > db.MaxShareTitle || life <= 0 || life > 91*24*time.Hour) {
		return fmt.Errorf("a link %+v", s)
	}
	c := readCollection(r)
	if c.check() == nil && (c.Name == "" || utf8.RuneCountInString(c.Name) > db.MaxCollectionName || utf8.RuneCountInString(c.Note) > db.MaxCollectionNote) {
		return fmt.Errorf("a collection %+v", c)
	}
	ids, err := collectedIDs(r)
	if err == nil && (len(ids) == 0 || len(ids) > maxChosen || slices.Min(ids) <= 0) {
		return fmt.Errorf("chosen: %v", ids)
	}
	var refused *web.Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// FuzzShare sends any body to the forms of links and collections.
func FuzzShare(f *testing.F) {
	f.Add("title=Boat&days=7&name=Spring&note=x&id=1&id=2")
	f.Add("title=%20%00%ff&days=-1&name=%0a&id=x")
	f.Add("title=" + strings.Repeat("é", 121) + "&days=99999999999999999999&id=-9223372036854775808" + strings.Repeat("&id=1", 600))
	f.Fuzz(func(t *testing.T, body string) {
		values, _ := url.ParseQuery(body)
		if err := tryShare(values); err != nil {
			t.Fatal(err)
		}
	})
}
