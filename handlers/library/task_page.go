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
func (h *Tasks) way(r *http.Request, id int64) (libraryview.Way, error) {
	way := libraryview.Way{Filter: filterIn(r)}
	g, err := filterOf(h.site, r)
	if err == nil {
		g.Filter.Before, g.Filter.Through = 0, 0
		way.Place, err = h.site.Store.PlaceOf(r.Context(), g.Filter, id)
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
func (h *Tasks) fillPlaces(r *http.Request, page *libraryview.TaskPage) error {
	t, path := page.Card.Task, site.TaskPath(page.Card.Task.ID)
	recent, err := h.site.Store.CollectionNames(r.Context(), suggested)
	if err != nil {
		return err
	}
	in, err := h.site.Store.CollectionsOf(r.Context(), t.ID)
	if err != nil {
		return err
	}
	page.Collections = libraryview.CollectionPart{TaskID: t.ID, In: in, Recent: recent, LookOnly: page.Card.LookOnly}
	page.Share, err = h.links.part(r, page.Share, db.Share{TaskID: t.ID}, path)
	page.Share.Able, page.Share.LookOnly = t.PlayableFor(site.Me(r).ID), page.Card.LookOnly
	return err
}

// lineage returns what the task was made from and what was made from it, as
// far as the viewer may see it.
func (h *Tasks) lineage(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := h.site.Store.Lineage(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return l, err
	}
	if found.Parent != nil {
		l.Parent = h.kin(r, []db.Task{*found.Parent})
	}
	l.Children, l.Batch = h.kin(r, found.Children), h.kin(r, found.Batch)
	return l, nil
}

// kin returns small cards of the tasks.
func (h *Tasks) kin(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, h.cards.One(r, t))
	}
	return cards
}

// fillTags fills in what the page of a video needs to file it.
func (h *Tasks) fillTags(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := h.site.Store.Tags(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}
