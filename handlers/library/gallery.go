package library

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// GalleryHandlers holds the handlers of the pages on which videos are found and organised.
type GalleryHandlers struct {
	Gallery       *Gallery
	GalleryCounts *GalleryCounts
	GalleryTile   *GalleryTile
	Collections   *Collections
	Collection    *Collection
	Collected     *Collected
	Compare       *Compare
	Bin           *Bin
	Deletion      *Deletion
	Downloads     *Downloads
	Organise      *Organise
	Go            *Go
}

// NewGallery returns the handlers.
func NewGallery(s *site.Site, cards *site.Cards, lists *Lists, links *Links) *GalleryHandlers {
	menus := &galleryMenus{
		accounts: s.Store.Accounts, catalog: s.Catalog, search: s.Store.Search,
		filed: &filed{cast: s.Store.Cast, collections: s.Store.Collections, tags: s.Store.Tags},
	}
	return &GalleryHandlers{
		Gallery:       &Gallery{cookies: s.Cookies, flashes: s.Flashes, list: lists.List, menus: menus, pages: s.Pages},
		GalleryCounts: &GalleryCounts{menus: menus, search: s.Store.Search, settings: s.Store.Settings},
		GalleryTile:   &GalleryTile{cards: lists.Cards, search: s.Store.Search, settings: s.Store.Settings, tasks: s.Store.Tasks, zones: s.Zones},
		Collections:   &Collections{collections: s.Store.Collections, flashes: s.Flashes, pages: s.Pages},
		Collection: &Collection{
			collections: s.Store.Collections, links: links, pages: s.Pages, typing: s.Typing,
			reader: &collectionReader{cards: cards, collections: s.Store.Collections, search: s.Store.Search},
		},
		Collected: &Collected{collections: s.Store.Collections, pages: s.Pages, search: s.Store.Search},
		Compare:   &Compare{cards: cards, pages: s.Pages, search: s.Store.Search},
		Bin:       &Bin{bin: s.Store.Bin, cards: cards, pages: s.Pages},
		Deletion:  &Deletion{bin: s.Store.Bin, flashes: s.Flashes, pages: s.Pages, search: s.Store.Search, tasks: s.Store.Tasks},
		Downloads: &Downloads{log: s.Log, media: s.Media, named: s.Named, search: s.Store.Search},
		Organise:  &Organise{pages: s.Pages, search: s.Store.Search, tags: s.Store.Tags, tasks: s.Store.Tasks},
		Go: &Go{
			cards: cards, pages: s.Pages,
			index: &index{accounts: s.Store.Accounts, recipes: s.Store.Recipes, search: s.Store.Search, filed: menus.filed},
		},
	}
}

// Gallery shows the team's videos.
type Gallery struct {
	cookies *web.Cookies
	flashes *site.Flashes
	list    *GalleryList
	menus   *galleryMenus
	pages   *site.Pages
}

// GalleryList reads the videos that a filter selects.
type GalleryList struct {
	cards       *StackedCards
	collections *video.Collections
	Search      *video.Search
	Settings    *people.Settings
	zones       *site.Zones
}

// perPage is the number of videos on a page of the gallery, and maxShown limits how
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

// Show shows everybody's finished videos, or those that match the filter. An htmx
// request gets only the parts that depend on the filter or, with "before", only the
// older videos.
func (h *Gallery) Show(w http.ResponseWriter, r *http.Request) error {
	if size := r.URL.Query().Get("size"); slices.Contains(libraryview.Sizes(), size) {
		return h.resize(w, r, size)
	}
	g, err := h.list.Read(r)
	if err != nil {
		return err
	}
	if g.Filter.Before > 0 {
		return web.Part(w, r, http.StatusOK, libraryview.GalleryMore(g), h.page(g))
	}
	if err := h.menus.fill(r, &g); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.GalleryPart(g), h.page(g))
}

// page returns the handler for the whole page.
func (h *Gallery) page(g libraryview.Gallery) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if g.Filter.Before > 0 {
			var err error
			if _, g.Total, err = h.list.Search.CountedTasks(r.Context(), g.Filter); err != nil {
				return err
			}
			if err := h.menus.fill(r, &g); err != nil {
				return err
			}
		}
		selected, err := h.flashes.TakeSelection(w, r)
		if err != nil {
			return err
		}
		for i, c := range g.Cards {
			g.Cards[i].Selected = slices.Contains(selected, c.Task.ID)
		}
		f, err := h.pages.Frame(w, r, "Gallery")
		if err != nil {
			return err
		}
		return web.Fragment(w, r, http.StatusOK, libraryview.ShowGallery(f, g))
	}
}

// Read returns the videos that the URL's filter selects, without the choices in the
// filter menus.
func (h *GalleryList) Read(r *http.Request) (libraryview.Gallery, error) {
	g, err := FilterOf(h.Settings, r)
	if err != nil {
		return g, err
	}
	return h.Of(r, g)
}

// Of returns the videos that the filter selects.
func (h *GalleryList) Of(r *http.Request, g libraryview.Gallery) (_ libraryview.Gallery, err error) {
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
		if g.Also, err = h.Search.Also(r.Context(), g.Filter.Viewer, g.Filter.Query); err != nil {
			return g, err
		}
	}
	g.Cards, err = h.cards.of(r, l.Tasks, g.Unfiltered())
	return g, err
}

// StackedCards builds the cards of the wall, where the takes of a video are one tile.
type StackedCards struct {
	cards *site.Cards
	takes *video.Takes
}

// of returns the cards of the tasks. Where everything is shown, finished takes are left out of
// which there is a newer one, which has them instead: that one may be on another page. What a
// filter finds is shown one by one.
func (h *StackedCards) of(r *http.Request, tasks []db.Task, everything bool) ([]part.Card, error) {
	ready, err := h.Ready(r, tasks)
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

// One returns the card of the task, as a slice.
func (h *StackedCards) One(r *http.Request, t db.Task, everything bool) ([]part.Card, error) {
	ready, err := h.Ready(r, []db.Task{t})
	if err != nil {
		return nil, err
	}
	return h.cardsOf(r, []db.Task{t}, ready, everything)
}

// Ready returns the IDs of the finished takes of the tasks' videos, by their stacks.
func (h *StackedCards) Ready(r *http.Request, tasks []db.Task) (map[int64][]int64, error) {
	var stacks []int64
	for _, t := range tasks {
		if t.Stack != 0 {
			stacks = append(stacks, t.Stack)
		}
	}
	return h.takes.Ready(r.Context(), site.Me(r).ID, stacks)
}

// cardsOf returns the cards of the tasks with the number of their takes. If fanned is set, the
// takes are one tile.
func (h *StackedCards) cardsOf(r *http.Request, tasks []db.Task, ready map[int64][]int64, fanned bool) ([]part.Card, error) {
	cards, err := h.cards.Of(r, tasks)
	for i, c := range cards {
		if ids := ready[c.Task.Stack]; len(ids) > 1 && c.Task.State == db.Success {
			cards[i].Stacked, cards[i].Fanned = len(ids), fanned
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
func (h *GalleryList) withUnfinished(r *http.Request, g libraryview.Gallery, tasks []db.Task) ([]db.Task, error) {
	if !g.Unfiltered() || g.LookOnly {
		return tasks, nil
	}
	last := int64(math.MaxInt64)
	if g.Filter.Before > 0 {
		last = g.Filter.Before - 1
	}
	own, err := h.Search.Unfinished(r.Context(), g.Filter.Viewer, db.Now().Add(-failedFor), g.Last, last, mostUnfinished)
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

// resize stores the size from the URL in a cookie and redirects to the URL without it.
func (h *Gallery) resize(w http.ResponseWriter, r *http.Request, size string) error {
	http.SetCookie(w, &http.Cookie{Name: SizeCookie, Value: size, Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, Secure: h.cookies.ForHost()})
	q := r.URL.Query()
	q.Del("size")
	address := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	return web.SeeOther(w, r, address.String())
}

// findCollections looks up the collections in the URL's filter. Those that do not exist
// are dropped.
func (h *GalleryList) findCollections(r *http.Request, g *libraryview.Gallery) error {
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
func (h *GalleryList) list(r *http.Request, g *libraryview.Gallery) (l gallery.Listing, err error) {
	page := g.Filter
	shown := PerPage
	if page.Through > 0 {
		// With "through", the page contains everything from the newest video down to
		// that one.
		shown = shownThrough(*g)
	}
	page.Limit = shown + 1 // the extra task shows that there is an older page
	if page.Before > 0 {
		if l.Tasks, err = h.Search.Tasks(r.Context(), page); err != nil {
			return l, err
		}
		l.Days = g.Filter.DaysOf(l.Tasks[:min(shown, len(l.Tasks))], g.Zone)
		l.Many, err = h.Search.CountSpans(r.Context(), g.Filter, l.Days)
	} else {
		l, err = h.Search.Listing(r.Context(), page, shown, g.Zone)
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
		older, err := h.Search.Tasks(r.Context(), rest)
		if err != nil {
			return l, err
		}
		if len(older) > 0 {
			g.Last = end
		}
	}
	return l, nil
}
