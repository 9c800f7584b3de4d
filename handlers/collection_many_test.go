package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dailies/db"
)

// options are the names that a field proposes.
func (a *answer) options() (names []string) {
	for _, m := range regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(a.body, -1) {
		names = append(names, m[1])
	}
	return names
}

// manyCollections fills the team's collections up, but for so many.
func (h *house) manyCollections(t *testing.T, but int) {
	t.Helper()
	for i := range db.MaxCollections - but {
		c := db.Collection{Name: fmt.Sprintf("Collection %04d of the harbour", i), CreatedBy: 1, CreatedAt: db.Now()}
		must(t, h.store.AddCollection(t.Context(), &c))
	}
}

func TestAThousandCollectionsLeavePagesSmall(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	pages := []string{"/gallery", taskPage(film)}
	var before []int
	for _, page := range pages {
		before = append(before, len(p.get(page).is(200).body))
	}
	h.manyCollections(t, 0)
	for id := range int64(100) { // and it is in some of them
		_, err := h.store.AddToCollection(t.Context(), id+1, 1, []int64{film.ID}, db.Now())
		must(t, err)
	}
	for i, page := range pages {
		got := p.get(page).is(200)
		t.Logf("%s: %d bytes without, %d with", page, before[i], len(got.body))
		if grown := len(got.body) - before[i]; grown > 16<<10 {
			t.Errorf("%s: %d bytes more", page, grown)
		}
		if n := len(got.options()); n > 20 {
			t.Errorf("%s proposes %d", page, n)
		}
	}
	p.get(taskPage(film)).shows("and in 80 more collections")
}

func TestACollectionIsFoundByAFewLetters(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.manyCollections(t, 3)
	for _, name := range []string{"Ärger am Hafen", "Über allem", "New & <b>bold</b>"} {
		c := db.Collection{Name: name, CreatedBy: 1, CreatedAt: db.Now()}
		must(t, h.store.AddCollection(t.Context(), &c))
	}
	find := func(text string) []string {
		t.Helper()
		a := p.get("/collections/find?name="+url.QueryEscape(text), "HX-Request-Type", "partial").is(200)
		if len(a.body) > 2000 {
			t.Errorf("%q: %d bytes", text, len(a.body))
		}
		return a.options()
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
	// The name is all that the form needs.
	film := h.keptFilm(t, 1, "a paper boat")
	p.post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {""}, "name": {"ÜBER ALLEM"}})
	p.post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"New & <b>bold</b>"}}).is(303)
	p.get(taskPage(film)).is(200).shows("New &amp; &lt;b&gt;bold")
}

func TestNoMoreThanAThousandCollections(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a paper boat")
	h.manyCollections(t, 2)
	statuses := make(chan int, 8)
	var pressing sync.WaitGroup
	for i := range cap(statuses) {
		pressing.Go(func() {
			statuses <- p.post("/collections", url.Values{"name": {fmt.Sprintf("At once %d", i)}}).StatusCode
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
	full := "The team has 1,000 collections, and that is the most."
	p.post("/collections", url.Values{"name": {"One more"}}).is(422).shows(full, `value="One more"`)
	p.post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"One more"}}).is(422).shows(full)
	p.post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Collection 0001 of the harbour"}}).is(303)
	p.post("/collections/1/delete", nil).is(303)
	p.post("/collections", url.Values{"name": {"One more"}}).is(303)
	p.post("/collections/1/restore", nil).is(422).shows(full)
}
