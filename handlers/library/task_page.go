package library

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// way returns where the video stands among those that the filter in the address
// chooses.
func (ts *Tasks) way(r *http.Request, id int64) (libraryview.Way, error) {
	way := libraryview.Way{Filter: filterIn(r)}
	g, err := filterOf(ts.site, r)
	if err == nil {
		g.Filter.Before, g.Filter.Through = 0, 0
		way.Place, err = ts.site.Store.PlaceOf(r.Context(), g.Filter, id)
	}
	return way, err
}

// filterIn returns the gallery's filter in the address of a video's page, without
// the page of the gallery.
func filterIn(r *http.Request) string {
	q := r.URL.Query()
	q.Del("before")
	q.Del("through")
	if filter := q.Encode(); len(filter) <= maxFilter {
		return filter
	}
	return ""
}

// maxFilter bounds, in bytes, a filter that is carried along.
const maxFilter = 4 << 10

// fillPlaces fills in which collections a video is in, and which links lead to
// it.
func (ts *Tasks) fillPlaces(r *http.Request, page *libraryview.TaskPage) error {
	t, path := page.Card.Task, site.TaskPath(page.Card.Task.ID)
	recent, err := ts.site.Store.CollectionNames(r.Context(), suggested)
	if err != nil {
		return err
	}
	in, err := ts.site.Store.CollectionsOf(r.Context(), t.ID)
	if err != nil {
		return err
	}
	page.Collections = libraryview.CollectionPart{TaskID: t.ID, In: in, Recent: recent}
	page.Share, err = ts.links.part(r, page.Share, db.Share{TaskID: t.ID}, path)
	page.Share.Able = t.PlayableFor(site.Me(r).ID)
	return err
}

// lineage returns what the task was made from and what was made from it, as
// far as the viewer may see it.
func (ts *Tasks) lineage(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := ts.site.Store.Lineage(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return l, err
	}
	if found.Parent != nil {
		l.Parent = ts.kin(r, []db.Task{*found.Parent})
	}
	l.Children, l.Batch = ts.kin(r, found.Children), ts.kin(r, found.Batch)
	return l, nil
}

// kin returns small cards of the tasks.
func (ts *Tasks) kin(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, ts.cards.One(r, t))
	}
	return cards
}

// fillTags fills in what the page of a video needs to file it.
func (ts *Tasks) fillTags(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := ts.site.Store.Tags(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}
