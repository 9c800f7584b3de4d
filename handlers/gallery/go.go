package gallery

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Go answers the command palette: it finds videos, people, tags, the cast, collections,
// recipes, pages and actions in one list.
type Go struct {
	cards *site.Cards
	index *index
	pages *site.Pages
}

// index finds things of the team by their names.
type index struct {
	accounts *people.Accounts
	filed    *filed
	recipes  *video.Recipes
	search   *video.Search
}

const (
	mostTyped = 200 // bytes of the text
	mostFound = 5   // videos, people, tags, cast members, collections and recipes each
	mostLate  = 3   // of the viewer's own videos, without a text
)

// Show lists what fits the text. A script that shows the list on top of another page asks
// for the whole palette first ("open"), and then for lists.
func (g *Go) Show(w http.ResponseWriter, r *http.Request) error {
	found, err := g.find(r)
	if err != nil {
		return err
	}
	shown := libraryview.GoList(found)
	if r.URL.Query().Has("open") {
		shown = libraryview.GoDialog(found)
	}
	return web.Part(w, r, http.StatusOK, shown, func(w http.ResponseWriter, r *http.Request) error {
		return g.pages.Draw(w, r, http.StatusOK, "Find anything", func(f part.Frame) templ.Component { return libraryview.ShowGo(f, found) })
	})
}

func (g *Go) find(r *http.Request) (libraryview.Finding, error) {
	me, text := site.Me(r), naming.Clean(site.Clip(r.URL.Query().Get("q"), mostTyped))
	found := libraryview.Finding{Query: text, Viewer: me}
	tasks, total, err := g.index.videos(r, text)
	if err != nil {
		return found, err
	}
	found.Total = total
	for _, t := range tasks {
		found.Videos = append(found.Videos, g.cards.One(r, t))
	}
	if err := g.index.named(r, &found); err != nil {
		return found, err
	}
	return found, nil
}

// videos returns the newest videos that fit the text, and how many there are in all.
// Without a text it returns the newest of the viewer's own, in any state.
func (i *index) videos(r *http.Request, text string) (tasks []db.Task, total int, err error) {
	f := gallery.Filter{Viewer: site.Me(r).ID, Query: text, Limit: mostFound}
	if text != "" {
		return i.search.CountedTasks(r.Context(), f)
	}
	f.Makers, f.States, f.Limit = []int64{f.Viewer}, []db.State{gallery.AnyState}, mostLate
	tasks, err = i.search.Tasks(r.Context(), f)
	return tasks, len(tasks), err
}

// named fills in the people, tags, cast, collections and recipes. Without a text this is the
// collection that was changed last.
func (i *index) named(r *http.Request, found *libraryview.Finding) (err error) {
	ctx, text, me := r.Context(), found.Query, site.Me(r)
	if text == "" {
		found.Collections, err = i.filed.collections.CollectionNames(ctx, 1)
		return err
	}
	if found.People, err = i.accounts.FindUsers(ctx, text, mostFound); err != nil {
		return err
	}
	if found.Tags, err = i.filed.tags.FindTags(ctx, me.ID, text, mostFound); err != nil {
		return err
	}
	if found.Cast, err = i.filed.cast.Find(ctx, text, ""); err != nil {
		return err
	}
	found.Cast = found.Cast[:min(mostFound, len(found.Cast))]
	if found.Collections, err = i.filed.collections.FindCollections(ctx, text, mostFound); err != nil || !me.Makes() {
		return err
	}
	found.Recipes, err = i.recipes.FindRecipes(ctx, text, mostFound)
	return err
}
