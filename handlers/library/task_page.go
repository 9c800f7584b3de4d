package library

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

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
