package library_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/handlerstest"
)

func TestTeamPutsVideosTogether(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	one, two, three := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a kite"), h.KeptFilm(t, 1, "a fox")
	owner.Get("/collections").Is(200).Shows("No collections yet")
	owner.Post("/collections", url.Values{"name": {"  Spring \n fair "}}).Is(303).LeadsTo("/collections/1")
	owner.Get("/collections/1").Is(200).Shows("Spring fair", "Nothing in here yet")
	ids := url.Values{"id": {fmt.Sprint(one.ID), fmt.Sprint(two.ID)}, "collection": {"1"}, "next": {"/gallery?q=a"}}
	ada.Post("/collections/add", ids).Is(303).LeadsTo("/gallery?q=a")
	ada.Get("/collections").Is(200).Shows("2 videos added to “Spring fair”", "2 videos")
	ids.Set("next", "//evil.example.com")
	ada.Post("/collections/add", ids).Is(303).LeadsTo("/")
	ada.Get("/collections/1").Is(200).Shows("They’re already in “Spring fair”", "a boat", "a kite",
		fmt.Sprintf("/tasks/download?id=%d&amp;id=%d", one.ID, two.ID), "/gallery?collection=1")
	move := func(task db.Task, to string) {
		t.Helper()
		ada.Post("/collections/1/move", url.Values{"id": {fmt.Sprint(task.ID)}, "to": {to}}).Is(303).LeadsTo(fmt.Sprintf("/collections/1?through=%d#task-%d", task.ID, task.ID))
	}
	move(two, "earlier")
	if body := owner.Get("/collections/1").Text; strings.Index(body, "a kite") > strings.Index(body, "a boat") {
		t.Error("the kite is not before the boat")
	}
	owner.Post("/collections/add", url.Values{"id": {fmt.Sprint(three.ID)}, "name": {"spring FAIR"}}).Is(303).LeadsTo("/collections/1")
	owner.Post("/collections/1/remove", url.Values{"id": {fmt.Sprint(one.ID)}}).Is(303).LeadsTo("/collections/1")
	owner.Get("/collections/1").Is(200).Shows("It stays in the gallery", "a kite", "a fox").Hides("a boat")
	ada.Post("/collections/1", url.Values{"name": {"Autumn"}, "note": {"<b>for</b> the fair"}}).Is(303)
	owner.Get("/collections").Is(200).Shows("Autumn", "&lt;b&gt;for&lt;/b&gt; the fair")
	owner.Get(taskPage(three)).Is(200).Shows("Autumn").Has(`[href="/collections/1"]`)
	ada.Post("/collections/1/delete", nil).Is(403) // she did not make the collection
	owner.Post("/collections/1/delete", nil).Is(303).LeadsTo("/collections")
	owner.Get("/collections/1").Is(404)
	owner.Get(taskPage(three)).Is(200).Hides("Autumn")
}

func TestCollectionHidesWhatOthersKeepToThemselves(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	seen, hidden, binned := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a hidden kite"), h.KeptFilm(t, 1, "a thrown fox")
	for _, film := range []db.Task{hidden, binned, seen} {
		owner.Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Spring"}}).Is(303)
	}
	h.Alter(t, hidden.ID, func(t *db.Task) { t.Private = true })
	h.Alter(t, binned.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.Get("/collections").Is(200).Shows("1 video").Hides("2 videos", "3 videos", fmt.Sprintf("/media/%d", hidden.Media[1].ID))
	ada.Get("/collections/1").Is(200).Shows("a boat", "1 video").Hides("a hidden kite", "thrown", fmt.Sprintf("id=%d", hidden.ID))
	owner.Get("/collections/1").Is(200).Shows("a boat", "a hidden kite", "2 videos").Hides("thrown")
	// Nobody can add, move or remove a video that they cannot see.
	id := url.Values{"id": {fmt.Sprint(hidden.ID)}, "name": {"Mine"}}
	ada.Post("/collections/add", id).Is(404)
	ada.Post("/collections/1/move", id).Is(404)
	ada.Post("/collections/1/remove", id).Is(303)
	owner.Get("/collections/1").Is(200).Shows("a hidden kite")
	ada.Get("/collections").Is(200).Hides("Mine")
}

func TestCollectionFormsRefuseInvalidInput(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	h.AddCollection(t, 1)
	p.Post("/collections", url.Values{"name": {"spring"}}).Is(422).Shows("This name is taken").Has("[value=spring]")
	p.Post("/collections", url.Values{"name": {"Winter"}}).Is(303)
	p.Post("/collections/1", url.Values{"name": {"WINTER"}, "note": {"typed"}}).Is(422).Shows("This name is taken", "WINTER", "typed")
	long := strings.Repeat("ü", gallery.MaxCollectionName+1)
	p.Post("/collections", url.Values{"name": {long}}).Is(422).Shows(long, "letters at most")
	p.Post("/collections/1", url.Values{"name": {"x"}, "note": {strings.Repeat("n", gallery.MaxCollectionNote+1)}}).Is(422).Shows("1,000 letters at most")
	id := fmt.Sprint(film.ID)
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	for name, tt := range map[string]struct {
		form url.Values
		want int
	}{
		"no video":             {url.Values{"name": {"Nope"}}, 422},
		"too many":             {url.Values{"name": {"Nope"}, "id": many}, 422},
		"no collection":        {url.Values{"id": {id}}, 422},
		"a name without end":   {url.Values{"id": {id}, "name": {long}}, 422},
		"no number":            {url.Values{"id": {"x"}, "name": {"Nope"}}, 404},
		"a number below zero":  {url.Values{"id": {"-1"}, "name": {"Nope"}}, 404},
		"a strange video":      {url.Values{"id": {"99999"}, "name": {"Nope"}}, 404},
		"a strange collection": {url.Values{"id": {id}, "collection": {"99999"}}, 404},
		"no collection's id":   {url.Values{"id": {id}, "collection": {"x"}}, 404},
	} {
		if got := p.Post("/collections/add", tt.form); got.StatusCode != tt.want {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	p.Get("/collections").Is(200).Shows("Winter").Hides("Nope", "1 video")
}

func TestLongCollectionIsShownInParts(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	c := gallery.Collection{Name: "Spring", CreatedBy: 1, CreatedAt: db.Now()}
	must(t, h.Store.Collections.AddCollection(t.Context(), &c))
	var ids []int64
	for range 60 {
		ids = append(ids, h.Film(t, 1, func(*db.Task) {}).ID)
	}
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
	must(t, err)
	tile := func(id int64) string { return fmt.Sprintf(`id="task-%d"`, id) }
	after := fmt.Sprintf("/collections/%d?after=%d", c.ID, ids[47])
	p.Get("/collections/1").Is(200).Shows("60 videos", tile(ids[0]), tile(ids[47]), `rel="next" href="`+after+`"`).Hides(tile(ids[48]))
	p.Get(after).Is(200).Shows("60 videos", "Back to the first", tile(ids[48]), tile(ids[59])).Hides(tile(ids[47]), `rel="next"`)
	p.Get(after, "HX-Request-Type", "partial").Is(200).Shows(tile(ids[48]), tile(ids[59])).Hides(tile(ids[47]), "60 videos", `rel="next"`)
	p.Get(fmt.Sprintf("/collections/1?through=%d", ids[52])).Is(200).Shows(tile(ids[0]), tile(ids[52]), `rel="next"`).Hides(tile(ids[53]))
	p.Get("/collections/1?after=x&through=-1").Is(200).Shows(tile(ids[0]), tile(ids[47])).Hides(tile(ids[48]))

	// A video that is moved beyond the first part can be moved further.
	p.Post("/collections/1/move", url.Values{"id": {fmt.Sprint(ids[47])}, "to": {"later"}}).Is(303).LeadsTo(fmt.Sprintf("/collections/1?through=%d#task-%d", ids[47], ids[47]))
	p.Get(fmt.Sprintf("/collections/1?through=%d", ids[47])).Is(200).Shows(tile(ids[48]), tile(ids[47])).Hides(tile(ids[49]))
	p.Get(fmt.Sprintf("/collections/1?after=%d", ids[58])).Is(200).Has(`[value="later"][disabled]`).Hides(`value="earlier" disabled`)
	p.Get("/collections/1").Is(200).Has(`[value="earlier"][disabled]`).Hides(`value="later" disabled`)
}
