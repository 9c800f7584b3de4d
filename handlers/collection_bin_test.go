package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
)

func TestWhoMayDeleteACollection(t *testing.T) {
	h := newHouse(t)
	root := h.founder(t)
	people := map[string]*person{"root": root, "ada": h.joiner(t, root, "ada"), "bo": h.joiner(t, root, "bo")}
	film := h.keptFilm(t, 3, "a paper boat")
	for name, may := range map[string]bool{"root": true, "ada": true, "bo": false} {
		people["ada"].post("/collections", url.Values{"name": {"Spring"}}).is(303)
		c, err := h.store.NamedCollection(t.Context(), "Spring")
		must(t, err)
		page := fmt.Sprintf("/collections/%d", c.ID)
		people["bo"].post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"spring"}}).is(303)
		link := people["bo"].share(page, "Boats")
		who := people[name]
		if !may {
			who.get(page).is(200).shows("Only they or an admin can delete it").hides(page + "/delete")
			who.post(page+"/delete", nil).is(403).shows("ada made this collection")
			h.stranger(t).get(link).is(200)
			who.post(page+"/restore", nil).is(404)
			root.post(page+"/delete", nil).is(303)
			continue
		}
		who.get(page).is(200).shows(page + "/delete")
		who.post(page+"/delete", nil).is(303)
		h.stranger(t).get(link).is(404)
		who.get("/collections").is(200).shows("deleted collection", page+"/restore", "Undo")
		people["bo"].get("/collections").is(200).hides("Spring", "deleted collection", page)
		people["bo"].post(page+"/restore", nil).is(404)
		people["bo"].get("/gallery").is(200).hides("Spring")
		for path, status := range map[string]int{page: 404, page + "/share": 404, page + "/move": 404, page + "/remove": 404} {
			form := url.Values{"id": {fmt.Sprint(film.ID)}, "title": {"x"}}
			if path == page {
				form = url.Values{"name": {"Autumn"}}
			}
			people["ada"].post(path, form).is(status)
		}
		people["ada"].post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {fmt.Sprint(c.ID)}}).is(404)
		who.post(page+"/restore", nil).is(303).leadsTo(page)
		h.stranger(t).get(link).is(200)
		people["bo"].get(page).is(200).shows("Spring", "a paper boat")
		people["bo"].get("/gallery?collection="+fmt.Sprint(c.ID)).is(200).shows("a paper boat", "Collection: Spring")
		people["ada"].post(page+"/delete", nil).is(303)
	}
}

func TestARestoredCollectionFindsAName(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for range 2 {
		p.post("/collections", url.Values{"name": {"Spring"}}).is(303)
		c, err := h.store.NamedCollection(t.Context(), "Spring")
		must(t, err)
		p.post(fmt.Sprintf("/collections/%d/delete", c.ID), nil).is(303)
	}
	p.post("/collections/1/restore", nil).is(303)
	p.post("/collections/2/restore", nil).is(303)
	p.get("/collections").is(200).shows("“Spring (2)” is back", "Spring (2)")
	p.post("/collections/2/restore", nil).is(404)
}

// The bin of collections has an end for each person, so that nobody fills it,
// or pushes out what others deleted.
func TestBinOfCollectionsHasAnEnd(t *testing.T) {
	h := newHouse(t)
	root := h.founder(t)
	h.joiner(t, root, "ada")
	add := func(by int64) int64 {
		c := db.Collection{Name: db.NewToken(), CreatedBy: by, CreatedAt: db.Now()}
		must(t, h.store.AddCollection(t.Context(), &c))
		must(t, h.store.DeleteCollection(t.Context(), c.ID, by, db.Now()))
		return c.ID
	}
	roots, first := add(1), add(2)
	for range db.BinnedCollections {
		add(2)
	}
	_, err := h.store.BinnedCollection(t.Context(), roots)
	must(t, err)
	if _, err := h.store.BinnedCollection(t.Context(), first); err == nil {
		t.Error("the oldest is still there")
	}
}

func TestPictureOfAVideoIsItsMakers(t *testing.T) {
	h := newHouse(t)
	root := h.founder(t)
	ada, bo := h.joiner(t, root, "ada"), h.joiner(t, root, "bo")
	film := h.addKept(t, 2, "film")
	poster := fmt.Sprintf(`data-poster="/tasks/%d/poster"`, film.ID)
	remove := fmt.Sprintf("/tasks/%d/poster/remove", film.ID)
	bo.get("/gallery").is(200).hides(poster)
	bo.sendPoster(t, film.ID, frameOf(t, 64, 36)).is(403)
	root.get("/gallery").is(200).shows(poster)
	at := root.sendPoster(t, film.ID, frameOf(t, 64, 36)).is(204).Header.Get("Location")
	bo.get(taskPage(film)).is(200).hides(remove)
	bo.post(remove, nil).is(404)
	bo.get(at).is(200)
	for _, who := range []*person{ada, root} {
		who.get(taskPage(film)).is(200).shows(remove)
		who.post(remove, nil).is(303).leadsTo(taskPage(film))
		bo.get(at).is(404)
		who.get("/gallery").is(200).shows(poster)
		at = who.sendPoster(t, film.ID, frameOf(t, 65, 36)).is(204).Header.Get("Location")
	}
	// What the service gave stays.
	made := h.keptFilm(t, 2, "a paper boat")
	h.alter(t, made.ID, func(t *db.Task) {
		t.Media[1].Hash, t.Media[1].Source = film.Media[0].Hash, "https://cdn.example.com/c.jpg"
	})
	ada.get(taskPage(made)).is(200).hides("/poster/remove")
	ada.post(fmt.Sprintf("/tasks/%d/poster/remove", made.ID), nil).is(409)
}
