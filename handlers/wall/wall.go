// Package wall finds and draws lists of cards: what a filter shows, in stacks and with
// their sizes.
package wall

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// Lists finds and draws lists of videos.
type Lists struct {
	cards       *site.Cards
	collections *video.Collections
	lineage     *video.Lineage
	named       *site.Named
	search      *video.Search
	settings    *people.Settings
	takes       *video.Takes
	zones       *site.Zones
}

// New returns them.
func New(s *site.Site, cards *site.Cards) *Lists {
	return &Lists{
		cards: cards, collections: s.Store.Collections, lineage: s.Store.Lineage, named: s.Named,
		search: s.Store.Search, settings: s.Store.Settings, takes: s.Store.Takes, zones: s.Zones,
	}
}

// PerPage is the number of videos on a page of the gallery, and maxShown limits how
// many one request returns when a user comes back to where they had scrolled.
const (
	PerPage  = 24
	maxShown = 1000

	// Each tile's links repeat the filter, so a page with a long filter shows fewer
	// tiles, to keep these repetitions below maxRepeated.
	maxRepeated = 2 << 20 // in bytes
)

// shownThrough returns how many videos a request with "through" returns at most.
// Further ones are loaded when the user scrolls on.
func shownThrough(g libraryview.Gallery) int {
	return max(PerPage, min(maxShown, maxRepeated/max(1, g.Repeats())))
}

// Videos returns the videos that the filter selects, without the choices in the filter menus.
func (h *Lists) Videos(r *http.Request, g libraryview.Gallery) (_ libraryview.Gallery, err error) {
	if err := h.findCollections(r, &g); err != nil {
		return g, err
	}
	if g.Zone, err = h.zones.Zone(r); err != nil {
		return g, err
	}
	l, err := h.list(r, &g)
	if err != nil {
		return g, err
	}
	if l.Tasks, err = h.withUnfinished(r, g, l.Tasks); err != nil {
		return g, err
	}
	g.Total, g.PerDay = l.Total, map[string]int{}
	for i, n := range l.Many {
		g.PerDay[l.Days[i].From.In(g.Zone).Format(time.DateOnly)] = n
	}
	g.Size = sizeOf(r)
	if g.Filter.Query != "" && g.Filter.Before == 0 {
		if g.Also, err = h.search.Also(r.Context(), g.Filter.Viewer, g.Filter.Query); err != nil {
			return g, err
		}
	}
	g.Cards, err = h.wallCards(r, l.Tasks, g.Unfiltered())
	return g, err
}

// wallCards returns the cards of the tasks. Where everything is shown, the takes of a video are one
// tile: finished takes are left out of which there is a newer one, which has them instead; that one
// may be on another page. What a filter finds is shown one by one.
func (h *Lists) wallCards(r *http.Request, tasks []db.Task, everything bool) ([]part.Card, error) {
	ready, err := h.ReadyTakes(r, tasks)
	if err != nil {
		return nil, err
	}
	if everything {
		tasks = slices.DeleteFunc(slices.Clone(tasks), func(t db.Task) bool {
			takes := ready[t.Stack]
			return slices.Contains(takes, t.ID) && t.ID != takes[len(takes)-1]
		})
	}
	return h.cardsOf(r, tasks, ready, everything)
}

// Card returns the card of the task, as a slice.
func (h *Lists) Card(r *http.Request, t db.Task, everything bool) ([]part.Card, error) {
	ready, err := h.ReadyTakes(r, []db.Task{t})
	if err != nil {
		return nil, err
	}
	return h.cardsOf(r, []db.Task{t}, ready, everything)
}

// ReadyTakes returns the IDs of the finished takes of the tasks' videos, by their stacks.
func (h *Lists) ReadyTakes(r *http.Request, tasks []db.Task) (map[int64][]int64, error) {
	var stacks []int64
	for _, t := range tasks {
		if t.Stack != 0 {
			stacks = append(stacks, t.Stack)
		}
	}
	return h.takes.Ready(r.Context(), site.Me(r).ID, stacks)
}

// cardsOf returns the cards of the tasks with the number of their takes. If expandable is set, the
// takes are one tile.
func (h *Lists) cardsOf(r *http.Request, tasks []db.Task, ready map[int64][]int64, expandable bool) ([]part.Card, error) {
	cards, err := h.cards.Of(r, tasks)
	for i, c := range cards {
		if ids := ready[c.Task.Stack]; len(ids) > 1 && c.Task.State == db.Success {
			cards[i].Stacked, cards[i].Expandable = len(ids), expandable
		}
	}
	return cards, err
}

// The gallery shows at most mostUnfinished of the viewer's own videos that are being made or
// have failed among those of a page, and failed ones for as long as failedFor.
const (
	mostUnfinished = 12
	failedFor      = 7 * 24 * time.Hour
)

// withUnfinished adds the viewer's own videos without a result to the page's videos, if the
// gallery shows everything. They do not count: they are where they would be once they are
// ready.
func (h *Lists) withUnfinished(r *http.Request, g libraryview.Gallery, tasks []db.Task) ([]db.Task, error) {
	if !g.Unfiltered() || g.LookOnly {
		return tasks, nil
	}
	last := int64(math.MaxInt64)
	if g.Filter.Before > 0 {
		last = g.Filter.Before - 1
	}
	own, err := h.search.Unfinished(r.Context(), g.Filter.Viewer, db.Now().Add(-failedFor), g.Last, last, mostUnfinished)
	all := slices.Concat(tasks, own)
	slices.SortFunc(all, func(a, b db.Task) int { return cmp.Compare(b.ID, a.ID) })
	return all, err
}

// SizeCookie is the cookie with the size in which this browser shows the gallery's
// tiles.
const SizeCookie = "size"

// sizeOf returns the chosen size, empty for the default.
func sizeOf(r *http.Request) string {
	if c, err := r.Cookie(SizeCookie); err == nil && slices.Contains(libraryview.Sizes(), c.Value) {
		return c.Value
	}
	return ""
}

// findCollections looks up the collections in the URL's filter. Those that do not exist
// are dropped.
func (h *Lists) findCollections(r *http.Request, g *libraryview.Gallery) error {
	named := g.Filter.Collections
	g.Filter.Collections = nil
	for _, id := range named {
		c, err := h.collections.Collection(r.Context(), g.Filter.Viewer, id)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		g.Filter.Collections, g.Within = append(g.Filter.Collections, id), append(g.Within, c)
	}
	return nil
}

// list returns the tasks of the page, with the number of matching videos on each of its
// days, and sets g.Last if there are older ones. Only the first page has the total.
func (h *Lists) list(r *http.Request, g *libraryview.Gallery) (l gallery.Listing, err error) {
	page := g.Filter
	shown := PerPage
	if page.Through > 0 {
		// With "through", the page contains everything from the newest video down to
		// that one.
		shown = shownThrough(*g)
	}
	page.Limit = shown + 1 // the extra task shows that there is an older page
	if page.Before > 0 {
		if l.Tasks, err = h.search.Tasks(r.Context(), page); err != nil {
			return l, err
		}
		l.Days = g.Filter.DaysOf(l.Tasks[:min(shown, len(l.Tasks))], g.Zone)
		l.Many, err = h.search.CountSpans(r.Context(), g.Filter, l.Days)
	} else {
		l, err = h.search.Listing(r.Context(), page, shown, g.Zone)
	}
	if err != nil {
		return l, err
	}
	if len(l.Tasks) > shown {
		l.Tasks = l.Tasks[:shown]
		g.Last = l.Tasks[shown-1].ID
	} else if page.Through > 0 {
		end := page.Through
		if len(l.Tasks) == shown {
			end = l.Tasks[shown-1].ID // page.Through may be far below
		}
		rest := g.Filter
		rest.Through, rest.Before, rest.Limit = 0, end, 1
		older, err := h.search.Tasks(r.Context(), rest)
		if err != nil {
			return l, err
		}
		if len(older) > 0 {
			g.Last = end
		}
	}
	return l, nil
}

// MaxSuggested limits how many collections the name field proposes; a team can have a
// thousand.
const MaxSuggested = 8
