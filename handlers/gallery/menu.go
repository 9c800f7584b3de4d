package gallery

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/web"
)

// fillMenus fills in the choices of the filter menus.
func (h *Gallery) fillMenus(r *http.Request, g *libraryview.Gallery) (err error) {
	ctx := r.Context()
	if err := h.fillPeople(r, g); err != nil {
		return err
	}
	if g.Tags, err = h.tags.VisibleTo(ctx, g.Filter.Viewer); err != nil {
		return err
	}
	g.Made = map[gallery.Facet][]string{}
	for _, facet := range []gallery.Facet{gallery.ByModel, gallery.ByRatio} {
		if g.Made[facet], err = h.search.Choices(ctx, g.Filter.Viewer, facet); err != nil {
			return err
		}
	}
	if g.Collections, err = h.collections.CollectionNames(ctx, wall.MaxSuggested); err != nil {
		return err
	}
	if err := h.fillCast(r, g); err != nil {
		return err
	}
	g.Models = h.catalog.Models
	g.Empty = g.Total == 0 && len(g.Cards) == 0 && len(r.URL.Query()) == 0
	if g.Empty && g.LookOnly {
		g.Ask, err = h.oldestAdmin(r)
	}
	return err
}

// oldestAdmin returns the active admin whose account is the oldest, whom viewers can ask for
// videos.
func (h *Gallery) oldestAdmin(r *http.Request) (db.User, error) {
	all, err := h.accounts.Users(r.Context())
	at := slices.IndexFunc(all, func(u db.User) bool { return u.IsAdmin() && u.IsActive() })
	if at < 0 {
		return db.User{}, err
	}
	return all[at], err
}

// fewPeople is the size of a team up to which every gallery page has the names of all.
const fewPeople = 50

// fillPeople fills in the people of the filter by person. In a large team these are the
// chosen ones, and those with matching videos once these are counted; the URL may ask
// for everybody.
func (h *Gallery) fillPeople(r *http.Request, g *libraryview.Gallery) (err error) {
	limit, ids := fewPeople, slices.Clone(g.Filter.Makers)
	if r.URL.Query().Get("people") == "all" {
		limit = math.MaxInt32
	}
	for id := range g.Counts[gallery.ByMaker] {
		ids = append(ids, site.ParseID(id))
	}
	var all bool
	g.People, all, err = h.accounts.SomeUsers(r.Context(), limit, ids)
	g.MorePeople = !all
	return err
}

// fewCast is how large a cast the menu lists as a whole.
const fewCast = 60

// fillCast fills in the cast of its filter. Of a large one these are the chosen members, and
// those with matching videos once these are counted; the URL may ask for everybody.
func (h *Gallery) fillCast(r *http.Request, g *libraryview.Gallery) (err error) {
	if g.Cast, err = h.cast.Names(r.Context()); err != nil || len(g.Cast) <= fewCast || r.URL.Query().Get("people") == "all" {
		return err
	}
	g.MoreCast = true
	g.Cast = slices.DeleteFunc(g.Cast, func(m cast.Member) bool {
		_, counted := g.Counts[gallery.ByCast][strconv.FormatInt(m.ID, 10)]
		return !counted && !slices.Contains(g.Filter.Cast, m.ID)
	})
	return nil
}

// ShowCounts shows one filter menu with the number of videos that each of its choices
// would give, with all other filters unchanged.
func (h *Gallery) ShowCounts(w http.ResponseWriter, r *http.Request) error {
	facet := gallery.Facet(r.URL.Query().Get("menu"))
	g, err := h.lists.Filter(r)
	if err != nil {
		return err
	}
	counts, err := h.countFacet(r, g.Filter, facet)
	if err != nil {
		return err
	}
	g.Counts = map[gallery.Facet]map[string]int{facet: counts}
	if err := h.fillMenus(r, &g); err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.GalleryCounts(g, facet))
}

func (h *Gallery) countFacet(r *http.Request, f gallery.Filter, facet gallery.Facet) (map[string]int, error) {
	if facet != gallery.ByDate {
		return h.search.CountFacet(r.Context(), f, facet)
	}
	zone, err := h.settings.TimeZone(r.Context())
	if err != nil {
		return nil, err
	}
	var spans []gallery.Span
	for _, name := range libraryview.Spans() {
		spans = append(spans, libraryview.SpanOf(name, db.Now().In(zone)))
	}
	many, err := h.search.CountSpans(r.Context(), f, spans)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i, name := range libraryview.Spans() {
		counts[name] = many[i]
	}
	return counts, nil
}
