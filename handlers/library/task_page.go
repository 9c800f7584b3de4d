package library

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// way returns the video's position among those that the filter in the URL selects.
func (h *taskPage) way(r *http.Request, id int64) (libraryview.Way, error) {
	way := libraryview.Way{Filter: filterIn(r)}
	g, err := FilterOf(h.settings, r)
	if err == nil {
		g.Filter.Before, g.Filter.Through = 0, 0
		way.Most = g.Filter.MostCounted()
		way.Place, err = h.search.PlaceOf(r.Context(), g.Filter, id)
	}
	return way, err
}

// filterIn returns the gallery's filter from the URL of a video's page, without the
// position in the gallery.
func filterIn(r *http.Request) string {
	q := r.URL.Query()
	q.Del("before")
	q.Del("through")
	q.Del(part.Seen)
	if filter := q.Encode(); len(filter) <= maxFilter {
		return filter
	}
	return ""
}

// maxFilter limits, in bytes, the filter that a video's URL carries along.
const maxFilter = 4 << 10

// fill fills in the collections that contain the video, and the tags.
func (h *places) fill(r *http.Request, page *libraryview.TaskPage) error {
	t := page.Card.Task
	recent, err := h.collections.CollectionNames(r.Context(), MaxSuggested)
	if err != nil {
		return err
	}
	in, err := h.collections.CollectionsOf(r.Context(), t.ID)
	if err != nil {
		return err
	}
	page.Collections = libraryview.CollectionPart{TaskID: t.ID, In: in, Recent: recent, LookOnly: page.Card.LookOnly}
	return h.fillTags(r, page)
}

// of returns the video that the task was made from, those made from it and those
// of its batch, as far as the viewer may see them.
func (h *family) of(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := h.lineage.Of(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return l, err
	}
	if found.Parent != nil {
		l.Parent = h.smallCards(r, []db.Task{*found.Parent})
	}
	l.Children, l.Batch = h.smallCards(r, found.Children), h.smallCards(r, found.Batch)
	return l, nil
}

// fillTakes fills in the takes of the video, and what guests decided about each.
func (h *family) fillTakes(r *http.Request, page *libraryview.TaskPage, s standing) error {
	if len(s.takes) < 2 {
		return nil
	}
	page.Takes.Cards, page.Takes.Standings = h.smallCards(r, s.takes), s.stand
	if site.Me(r).Makes() {
		links, err := h.links.LinksWithout(r.Context(), page.Card.Task, db.Now())
		if err != nil {
			return err
		}
		for _, s := range links {
			if s.RevocableBy(site.Me(r)) {
				page.Takes.Links = append(page.Takes.Links, s)
			}
		}
	}
	return nil
}

// smallCards returns small cards of the tasks.
func (h *family) smallCards(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, h.cards.One(r, t))
	}
	return cards
}

// fillTags fills in the tags to choose from, and whether the viewer may delete the
// video.
func (h *places) fillTags(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := h.tags.VisibleTo(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}
