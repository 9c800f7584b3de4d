package gallery

import (
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

const (
	mostTyped = 200 // bytes of the text
	mostFound = 5   // videos, people, tags, cast members, collections and recipes each
	mostLate  = 3   // of the viewer's own videos, without a text
)

// ShowPalette answers the command palette: it lists the videos, people, tags, cast, collections,
// recipes, pages and actions that fit the text. A script that shows the list on top of another page asks
// for the whole palette first ("open"), and then for lists.
func (h *Gallery) ShowPalette(w http.ResponseWriter, r *http.Request) error {
	found, err := h.find(r)
	if err != nil {
		return err
	}
	shown := libraryview.GoList(found)
	if r.URL.Query().Has("open") {
		shown = libraryview.GoDialog(found)
	}
	return web.Part(w, r, http.StatusOK, shown, func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.Draw(w, r, http.StatusOK, "Find anything", libraryview.ShowGo(found))
	})
}

func (h *Gallery) find(r *http.Request) (libraryview.Finding, error) {
	me, text := site.Me(r), naming.Clean(site.Clip(r.URL.Query().Get("q"), mostTyped))
	found := libraryview.Finding{Query: text, Viewer: me}
	tasks, total, err := h.findVideos(r, text)
	if err != nil {
		return found, err
	}
	found.Total = total
	for _, t := range tasks {
		found.Videos = append(found.Videos, h.cards.One(r, t))
	}
	if err := h.findNamed(r, &found); err != nil {
		return found, err
	}
	return found, nil
}

// findVideos returns the newest videos that fit the text, and how many there are in all.
// Without a text it returns the newest of the viewer's own, in any state.
func (h *Gallery) findVideos(r *http.Request, text string) (tasks []db.Task, total int, err error) {
	f := gallery.Filter{Viewer: site.Me(r).ID, Query: text, Limit: mostFound}
	if text != "" {
		return h.search.CountedTasks(r.Context(), f)
	}
	f.Makers, f.States, f.Limit = []int64{f.Viewer}, []db.State{gallery.AnyState}, mostLate
	tasks, err = h.search.Tasks(r.Context(), f)
	return tasks, len(tasks), err
}

// findNamed fills in the people, tags, cast, collections and recipes. Without a text this is the
// collection that was changed last.
func (h *Gallery) findNamed(r *http.Request, found *libraryview.Finding) (err error) {
	ctx, text, me := r.Context(), found.Query, site.Me(r)
	if text == "" {
		found.Collections, err = h.collections.CollectionNames(ctx, 1)
		return err
	}
	if found.People, err = h.accounts.FindUsers(ctx, text, mostFound); err != nil {
		return err
	}
	if found.Tags, err = h.tags.FindTags(ctx, me.ID, text, mostFound); err != nil {
		return err
	}
	if found.Cast, err = h.cast.Find(ctx, text, ""); err != nil {
		return err
	}
	found.Cast = found.Cast[:min(mostFound, len(found.Cast))]
	if found.Collections, err = h.collections.FindCollections(ctx, text, mostFound); err != nil || !me.Makes() {
		return err
	}
	found.Recipes, err = h.recipes.FindRecipes(ctx, text, mostFound)
	return err
}
