package library_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

func TestWhoMayDeleteACollection(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	people := map[string]*handlerstest.Browser{"root": root, "ada": h.Joiner(t, root, "ada"), "bo": h.Joiner(t, root, "bo")}
	film := h.KeptFilm(t, 3, "a paper boat")
	for name, may := range map[string]bool{"root": true, "ada": true, "bo": false} {
		people["ada"].Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
		c, err := h.Store.Collections.NamedCollection(t.Context(), "Spring")
		must(t, err)
		page := fmt.Sprintf("/collections/%d", c.ID)
		people["bo"].Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "name": {"spring"}}).Is(303)
		link := people["bo"].Share(page, "Boats")
		who := people[name]
		if !may {
			who.Get(page).Is(200).Shows("or an admin can delete it").Hides(page + "/delete")
			who.Post(page+"/delete", nil).Is(403).Shows("ada made this collection")
			h.Stranger(t).Get(link).Is(200)
			who.Post(page+"/restore", nil).Is(404)
			root.Post(page+"/delete", nil).Is(303)
			continue
		}
		who.Get(page).Is(200).Shows(page + "/delete")
		who.Post(page+"/delete", nil).Is(303)
		h.Stranger(t).Get(link).Is(404)
		who.Get("/collections").Is(200).Shows("deleted collection", page+"/restore", "Undo")
		people["bo"].Get("/collections").Is(200).Hides("Spring", "deleted collection", page)
		people["bo"].Post(page+"/restore", nil).Is(404)
		people["bo"].Get("/gallery").Is(200).Hides("Spring")
		for path, status := range map[string]int{page: 404, page + "/share": 404, page + "/move": 404, page + "/remove": 404} {
			form := url.Values{"id": {fmt.Sprint(film.ID)}, "title": {"x"}}
			if path == page {
				form = url.Values{"name": {"Autumn"}}
			}
			people["ada"].Post(path, form).Is(status)
		}
		people["ada"].Post("/collections/add", url.Values{"id": {fmt.Sprint(film.ID)}, "collection": {fmt.Sprint(c.ID)}}).Is(404)
		who.Post(page+"/restore", nil).Is(303).LeadsTo(page)
		h.Stranger(t).Get(link).Is(200)
		people["bo"].Get(page).Is(200).Shows("Spring", "a paper boat")
		people["bo"].Get("/gallery?collection="+fmt.Sprint(c.ID)).Is(200).Shows("a paper boat", "Collection: Spring")
		people["ada"].Post(page+"/delete", nil).Is(303)
	}
}

func TestARestoredCollectionFindsAName(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 2 {
		p.Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
		c, err := h.Store.Collections.NamedCollection(t.Context(), "Spring")
		must(t, err)
		p.Post(fmt.Sprintf("/collections/%d/delete", c.ID), nil).Is(303)
	}
	p.Post("/collections/1/restore", nil).Is(303)
	p.Post("/collections/2/restore", nil).Is(303)
	p.Get("/collections").Is(200).Shows("“Spring (2)” is back", "Spring (2)")
	p.Post("/collections/2/restore", nil).Is(404)
}

// Each user's bin of collections is limited, so that nobody can fill it without end or
// push out what others deleted.
func TestBinOfCollectionsHasAnEnd(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	h.Joiner(t, root, "ada")
	add := func(by int64) int64 {
		c := gallery.Collection{Name: secrets.NewToken(), CreatedBy: by, CreatedAt: db.Now()}
		must(t, h.Store.Collections.AddCollection(t.Context(), &c))
		must(t, h.Store.Collections.DeleteCollection(t.Context(), c.ID, by, db.Now()))
		return c.ID
	}
	roots, first := add(1), add(2)
	for range gallery.BinnedCollections {
		add(2)
	}
	_, err := h.Store.Collections.BinnedCollection(t.Context(), roots)
	must(t, err)
	if _, err := h.Store.Collections.BinnedCollection(t.Context(), first); err == nil {
		t.Error("the oldest is still there")
	}
}

func TestOnlyTheMakerAndAdminsChangeADrawnCover(t *testing.T) {
	h := handlerstest.New(t)
	root := h.Founder(t)
	ada, bo := h.Joiner(t, root, "ada"), h.Joiner(t, root, "bo")
	film := h.AddKept(t, 2, "film")
	poster := fmt.Sprintf(`data-poster="/tasks/%d/poster"`, film.ID)
	remove := fmt.Sprintf("/tasks/%d/poster/remove", film.ID)
	bo.Get("/gallery").Is(200).Hides(poster)
	bo.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64, 36)).Is(403)
	root.Get("/gallery").Is(200).Shows(poster)
	at := root.SendPoster(t, film.ID, handlerstest.FrameOf(t, 64, 36)).Is(204).Header.Get("Location")
	bo.Get(taskPage(film)).Is(200).Hides(remove)
	bo.Post(remove, nil).Is(404)
	bo.Get(at).Is(200)
	for _, who := range []*handlerstest.Browser{ada, root} {
		who.Get(taskPage(film)).Is(200).Shows(remove)
		who.Post(remove, nil).Is(303).LeadsTo(taskPage(film))
		bo.Get(at).Is(404)
		who.Get("/gallery").Is(200).Shows(poster)
		at = who.SendPoster(t, film.ID, handlerstest.FrameOf(t, 65, 36)).Is(204).Header.Get("Location")
	}
	// A cover from the service cannot be removed.
	made := h.KeptFilm(t, 2, "a paper boat")
	h.Alter(t, made.ID, func(t *db.Task) {
		t.Media[1].Hash, t.Media[1].Source = film.Media[0].Hash, "https://cdn.example.com/c.jpg"
	})
	ada.Get(taskPage(made)).Is(200).Hides("/poster/remove")
	ada.Post(fmt.Sprintf("/tasks/%d/poster/remove", made.ID), nil).Is(409)
}
