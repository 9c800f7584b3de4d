package room_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/handlerstest"
)

// A link to a long collection begins with the first videos, as the page of the team does, leads to
// the others without script, and opens each of them where it belongs.
func TestALinkShowsALongCollectionInParts(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	c := h.AddCollection(t, 1)
	const most = gallery.PerCollection
	var films []db.Task
	var ids []int64
	for i := range most + 2 {
		film := h.KeptFilm(t, 1, fmt.Sprint("boat ", i))
		films, ids = append(films, film), append(ids, film.ID)
	}
	_, err := h.Store.Collections.AddToCollection(t.Context(), c.ID, 1, ids, db.Now())
	must(t, err)
	take := stacked(t, h, 1, "another boat", films[most+1])
	link := owner.Share(fmt.Sprintf("/collections/%d", c.ID), "Boats", "may", "decide", "takes", "on")
	mara := h.Stranger(t)
	at := func(film db.Task) string {
		video, _ := film.Video()
		return fmt.Sprintf("%s?video=%d", link, video.ID)
	}
	item := func(film db.Task) string { return fmt.Sprintf(`.playlist [href="%s"]`, at(film)) }
	next := fmt.Sprintf("%s?after=%d", link, films[most-1].ID)

	first := mara.Get(link).Is(200)
	first.Shows(fmt.Sprintf("Video 1 of %d", most+2), "More videos").Has(item(films[0])+"[aria-current]", item(films[most-1]), `a[rel=next][href="`+next+`"]`, "#takes").Lacks(item(films[most]), ".dots")
	mara.Get(next).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+1, most+2), "Back to the first").Hides("More videos").
		Has(item(films[most])+"[aria-current]", item(films[most+1])).Lacks(item(films[0]))
	mara.Get(next, "HX-Request-Type", "partial").Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2)).Lacks("nav", "[aria-current]")
	mara.Get(at(films[most+1])).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2)).Has(`#takes a[href="` + fmt.Sprintf("%s?take=%d", link, take.ID) + `"]`)
	mara.Get(link + "?after=4711").Is(200).Shows(fmt.Sprintf("Video 1 of %d", most+2))
	mara.Get(link+"/compare").Is(200).Shows("Take 1", "Take 2")

	// What a guest says about the last video is shown beside it, and files are guarded as ever.
	mara.Get(link + fmt.Sprintf("/notes?task=%d", films[most+1].ID)).Is(200).Shows(fmt.Sprintf("Video %d of %d", most+2, most+2))
	mara.Post(link+"/notes", talkForm(films[most], "body", "A larger sail", "name", "Mara")).Is(303)
	mara.Get(link + fmt.Sprintf("/notes?task=%d", films[most].ID)).Is(200).Shows("A larger sail")
	mara.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(take.ID)}, "verdict": {"approved"}}).Is(303)
	foreign := h.KeptFilm(t, 1, "a tram")
	mara.Post(link+"/notes", talkForm(foreign, "body", "x")).Is(404)
	mara.Get(files(link, films[most+1])[0]).Is(200)
	mara.Get(files(link, foreign)[0]).Is(404)

	// An open page is told of what changes far below it.
	seen := mara.Get(link).Is(200)
	_, mark, _ := strings.Cut(seen.Text, `data-seen="`)
	mark, _, _ = strings.Cut(mark, `"`)
	mara.Get(link + "/state?seen=" + mark).Is(204)
	h.Alter(t, films[most].ID, func(t *db.Task) { t.Private = true })
	mara.Get(link + "/state?seen=" + mark).Is(200)
	mara.Get(link).Is(200).Shows(fmt.Sprintf("Video 1 of %d", most+1))
	mara.Get(files(link, films[most])[0]).Is(404)
}
