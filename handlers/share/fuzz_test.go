package share

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
	"dailies/db/gallery"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/web"
)

// tryShare parses the forms of links and collections, and returns an error if they
// accept something invalid.
func tryShare(v url.Values) error {
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{}, Form: v, PostForm: v}
	s, form, valid := readShare(r)
	life := s.ExpiresAt.Sub(s.CreatedAt)
	password := utf8.RuneCountInString(form.Password.Value)
	if valid && (utf8.RuneCountInString(s.Title) > db.MaxTitle || life <= 0 || life > 91*24*time.Hour || !s.May.Allows(gallery.Look) ||
		utf8.RuneCountInString(s.Welcome) > gallery.MaxWelcome || password > gallery.MaxSharePassword ||
		password > 0 && password < gallery.MinSharePassword) {
		return fmt.Errorf("a link %+v", s)
	}
	c := libraryview.NewCollectionForm(gallery.Collection{})
	if site.ReadForm(r, &c.Name, &c.Note) && (c.Name.Value == "" || utf8.RuneCountInString(c.Name.Value) > gallery.MaxCollectionName ||
		utf8.RuneCountInString(c.Note.Value) > gallery.MaxCollectionNote) {
		return fmt.Errorf("a collection %+v", c)
	}
	ids, err := site.FormIDs(r)
	if err == nil && (len(ids) == 0 || len(ids) > site.MaxChosen || slices.Min(ids) <= 0) {
		return fmt.Errorf("chosen: %v", ids)
	}
	var refused *web.Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// FuzzFilter parses arbitrary gallery URLs.
func FuzzFilter(f *testing.F) {
	f.Add("q=boat&who=me&who=2&model=a&model=b&scene=text-to-video&status=failed&status=all&tag=Spring" +
		"&starred=1&collection=3&date=week&before=9")
	f.Add("q=%ff%00&who=-1&model=%ff&ratio=" + strings.Repeat("é", 300) +
		"&tag=%00&from=2026-11-31&until=9999-12-31&through=99999999999999999999")
	f.Add("who=" + strings.Repeat("1&who=", 99) + "&status=&status=failed&status=failed")
	f.Fuzz(func(t *testing.T, query string) {
		q, _ := url.ParseQuery(query)
		filter := wall.GalleryOf(q, 7, time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)).Filter
		texts := slices.Concat(filter.Scenes, filter.Models, filter.Ratios, filter.Tags, []string{filter.Query})
		for _, text := range texts {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || len(text) > 400 {
				t.Errorf("text %q", text)
			}
		}
		if len(texts) > 4*wall.MaxValues+1 || len(filter.Makers) > wall.MaxValues || len(filter.Collections) > wall.MaxValues {
			t.Errorf("%d texts, %d people, %d collections", len(texts), len(filter.Makers), len(filter.Collections))
		}
		if slices.Contains(filter.States, gallery.AnyState) && len(filter.States) > 1 || len(filter.States) > len(db.States()) {
			t.Errorf("states %v", filter.States)
		}
		if slices.Contains(filter.Makers, 0) || slices.Min(append(filter.Makers, 1)) < 0 || slices.Contains(filter.Tags, "") ||
			min(filter.Before, filter.Through) < 0 {
			t.Errorf("%+v", filter)
		}
	})
}

// FuzzShare parses arbitrary forms of links and collections.
func FuzzShare(f *testing.F) {
	f.Add("title=Boat&days=7&name=Spring&note=x&id=1&id=2")
	f.Add("title=Boat&days=7&may=decide&password=harbour-47&download=on&takes=on&welcome=Hello%0aMara&id=1")
	f.Add("may=all&password=%00%ff&welcome=" + strings.Repeat("x", 300))
	f.Add("title=%20%00%ff&days=-1&name=%0a&id=x")
	f.Add("title=" + strings.Repeat("é", 121) + "&days=99999999999999999999&id=-9223372036854775808" + strings.Repeat("&id=1", 600))
	f.Fuzz(func(t *testing.T, body string) {
		values, _ := url.ParseQuery(body)
		if err := tryShare(values); err != nil {
			t.Fatal(err)
		}
	})
}
