package library_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/handlerstest"
)

func TestAThousandCollectionsLeavePagesSmall(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	pages := []string{"/gallery", taskPage(film)}
	var before []int
	for _, page := range pages {
		before = append(before, len(p.Get(page).Is(200).Text))
	}
	h.ManyCollections(t, 0)
	for id := range int64(100) { // the video is in 100 of them
		_, err := h.Store.Collections.AddToCollection(t.Context(), id+1, 1, []int64{film.ID}, db.Now())
		must(t, err)
	}
	for i, page := range pages {
		got := p.Get(page).Is(200)
		t.Logf("%s: %d bytes without, %d with", page, before[i], len(got.Text))
		if grown := len(got.Text) - before[i]; grown > 16<<10 {
			t.Errorf("%s: %d bytes more", page, grown)
		}
		if n := len(got.Options()); n > 20 {
			t.Errorf("%s proposes %d", page, n)
		}
	}
	p.Get(taskPage(film)).Shows("and in 80 more collections")
	seen, page := map[string]bool{}, "/collections"
	for more := true; more; {
		text := p.Get(page).Is(200).Text
		names := regexp.MustCompile(`Collection \d{4} of the harbour`).FindAllString(text, -1)
		if len(text) > 64<<10 {
			t.Errorf("%s: %d bytes", page, len(text))
		}
		for _, name := range names {
			seen[name] = true
		}
		var next []string
		if next = regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(text); next != nil {
			page = next[1]
		}
		more = next != nil
	}
	if len(seen) != gallery.MaxCollections {
		t.Errorf("the pages name %d collections", len(seen))
	}
}

func TestACollectionIsFoundByAFewLetters(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.ManyCollections(t, 3)
	for _, name := range []string{"Ärger am Hafen", "Über allem", "New & <b>bold</b>"} {
		c := gallery.Collection{Name: name, CreatedBy: 1, CreatedAt: db.Now()}
		must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	}
	find := func(text string) []string {
		t.Helper()
		a := p.Get("/collections/find?name="+url.QueryEscape(text), "HX-Request-Type", "partial").Is(200)
		if len(a.Text) > 2000 {
			t.Errorf("%q: %d bytes", text, len(a.Text))
		}
		return a.Options()
	}
	for text, want := range map[string]string{
		"über": "Über allem", "ÄRGER": "Ärger am Hafen", "hafen": "Ärger am Hafen", " 0123  of": "Collection 0123 of the harbour",
		"bold": "New &amp; &lt;b&gt;bold&lt;/b&gt;",
	} {
		if got := find(text); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := find(""); len(got) != 8 || got[0] != "New &amp; &lt;b&gt;bold&lt;/b&gt;" {
		t.Errorf("nothing typed: %q", got)
	}
	if got := find("collection"); len(got) != 8 {
		t.Errorf("many fit: %q", got)
	}
	if got := find(strings.Repeat("zebra", 500)); len(got) != 0 {
		t.Errorf("none fits: %q", got)
	}
	// A form without the ID of a collection uses the name.
	film := h.KeptFilm(t, 1, "a paper boat")
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {""}, "name": {"ÜBER ALLEM"}})
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"New & <b>bold</b>"}}).Is(303)
	p.Get(taskPage(film)).Is(200).Shows("New &amp; &lt;b&gt;bold")
}

func TestNoMoreThanAThousandCollections(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	h.ManyCollections(t, 2)
	statuses := make(chan int, 8)
	var pressing sync.WaitGroup
	for i := range cap(statuses) {
		pressing.Go(func() {
			statuses <- p.Post("/collections", url.Values{"name": {fmt.Sprintf("At once %d", i)}}).StatusCode
		})
	}
	pressing.Wait()
	close(statuses)
	made := 0
	for status := range statuses {
		if status == 303 {
			made++
		} else if status != 422 {
			t.Errorf("refused with %d", status)
		}
	}
	if made != 2 {
		t.Errorf("%d were made, with room for 2", made)
	}
	full := "1,000 collections is the most"
	p.Post("/collections", url.Values{"name": {"One more"}}).Is(422).Shows(full).Has(`[value="One more"]`)
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"One more"}}).Is(422).Shows(full)
	p.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Collection 0001 of the harbour"}}).Is(303)
	p.Post("/collections/1/delete", nil).Is(303)
	p.Post("/collections", url.Values{"name": {"One more"}}).Is(303)
	p.Post("/collections/1/restore", nil).Is(422).Shows(full)
}
