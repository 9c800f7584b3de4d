package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

// addCollection makes an empty collection of the person's.
func (h *house) addCollection(t *testing.T, userID int64) db.Collection {
	t.Helper()
	c := db.Collection{Name: "Spring", CreatedBy: userID, CreatedAt: db.Now()}
	must(t, h.store.AddCollection(t.Context(), &c))
	return c
}

func TestTeamPutsVideosTogether(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	one, two, three := h.keptFilm(t, 1, "a boat"), h.keptFilm(t, 1, "a kite"), h.keptFilm(t, 1, "a fox")
	owner.get("/collections").is(200).shows("Videos that belong together")
	owner.post("/collections", url.Values{"name": {"  Spring \n fair "}}).is(303).leadsTo("/collections/1")
	owner.get("/collections/1").is(200).shows("Spring fair", "Nothing is in here yet")
	ids := url.Values{"id": {fmt.Sprint(one.ID), fmt.Sprint(two.ID)}, "collection": {"1"}, "next": {"/gallery?q=a"}}
	ada.post("/collections/add", ids).is(303).leadsTo("/gallery?q=a")
	ada.get("/collections").is(200).shows("2 videos were added to “Spring fair”", "2 videos")
	ids.Set("next", "//evil.example.com")
	ada.post("/collections/add", ids).is(303).leadsTo("/")
	ada.get("/collections/1").is(200).shows("They are all in “Spring fair” already", "a boat", "a kite",
		fmt.Sprintf("/tasks/download?id=%d&amp;id=%d", one.ID, two.ID), "/gallery?collection=1")
	move := func(task db.Task, to string) {
		t.Helper()
		ada.post("/collections/1/move", url.Values{"id": {fmt.Sprint(task.ID)}, "to": {to}}).is(303).leadsTo(fmt.Sprintf("/collections/1#task-%d", task.ID))
	}
	move(two, "earlier")
	if body := owner.get("/collections/1").body; strings.Index(body, "a kite") > strings.Index(body, "a boat") {
		t.Error("the kite is not before the boat")
	}
	owner.post("/collections/add", url.Values{"id": {fmt.Sprint(three.ID)}, "name": {"spring FAIR"}}).is(303).leadsTo("/collections/1")
	owner.post("/collections/1/remove", url.Values{"id": {fmt.Sprint(one.ID)}}).is(303).leadsTo("/collections/1")
	owner.get("/collections/1").is(200).shows("It stays in the gallery", "a kite", "a fox").hides("a boat")
	ada.post("/collections/1", url.Values{"name": {"Autumn"}, "note": {"<b>for</b> the fair"}}).is(303)
	owner.get("/collections").is(200).shows("Autumn", "&lt;b&gt;for&lt;/b&gt; the fair")
	owner.get(taskPage(three)).is(200).shows(`href="/collections/1"`, "Autumn")
	ada.post("/collections/1/delete", nil).is(403) // she did not make it
	owner.post("/collections/1/delete", nil).is(303).leadsTo("/collections")
	owner.get("/collections/1").is(404)
	owner.get(taskPage(three)).is(200).hides("Autumn")
}

func TestCollectionHidesWhatOthersKeepToThemselves(t *testing.T) {
	h := newHouse(t)
	owner := h.founder(t)
	ada := h.joiner(t, owner, "ada")
	seen, hidden, binned := h.keptFilm(t, 1, "a boat"), h.keptFilm(t, 1, "a hidden kite"), h.keptFilm(t, 1, "a thrown fox")
	for _, film := range []db.Task{hidden, binned, seen} {
		owner.post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"Spring"}}).is(303)
	}
	h.alter(t, hidden.ID, func(t *db.Task) { t.Private = true })
	h.alter(t, binned.ID, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.get("/collections").is(200).shows("1 video").hides("2 videos", "3 videos", fmt.Sprintf("/media/%d", hidden.Media[1].ID))
	ada.get("/collections/1").is(200).shows("a boat", "1 video").hides("a hidden kite", "thrown", fmt.Sprintf("id=%d", hidden.ID))
	owner.get("/collections/1").is(200).shows("a boat", "a hidden kite", "2 videos").hides("thrown")
	// What one does not see one can neither add, nor move, nor take out.
	id := url.Values{"id": {fmt.Sprint(hidden.ID)}, "name": {"Mine"}}
	ada.post("/collections/add", id).is(404)
	ada.post("/collections/1/move", id).is(404)
	ada.post("/collections/1/remove", id).is(303)
	owner.get("/collections/1").is(200).shows("a hidden kite")
	ada.get("/collections").is(200).hides("Mine")
}

func TestCollectionFormsRefuseWhatWillNotDo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.keptFilm(t, 1, "a boat")
	h.addCollection(t, 1)
	p.post("/collections", url.Values{"name": {"spring"}}).is(422).shows("this name already", `value="spring"`)
	p.post("/collections", url.Values{"name": {"Winter"}}).is(303)
	p.post("/collections/1", url.Values{"name": {"WINTER"}, "note": {"typed"}}).is(422).shows("this name already", "WINTER", "typed")
	long := strings.Repeat("ü", db.MaxCollectionName+1)
	p.post("/collections", url.Values{"name": {long}}).is(422).shows(long, "letters at most")
	p.post("/collections/1", url.Values{"name": {"x"}, "note": {strings.Repeat("n", db.MaxCollectionNote+1)}}).is(422).shows("A note has")
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
		if got := p.post("/collections/add", tt.form); got.StatusCode != tt.want {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	p.get("/collections").is(200).shows("Winter").hides("Nope", "1 video")
}
