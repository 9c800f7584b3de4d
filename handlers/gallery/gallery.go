// Package gallery serves the pages on which videos are found and organised.
package gallery

import (
	"net/http"
	"net/url"
	"slices"

	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Handlers holds the handlers of the pages on which videos are found and organised.
type Handlers struct {
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

// New returns the handlers.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, links *share.Links) *Handlers {
	menus := &galleryMenus{
		accounts: s.Store.Accounts, catalog: s.Catalog, search: s.Store.Search,
		filed: &filed{cast: s.Store.Cast, collections: s.Store.Collections, tags: s.Store.Tags},
	}
	return &Handlers{
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
	list    *wall.GalleryList
	menus   *galleryMenus
	pages   *site.Pages
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

// resize stores the size from the URL in a cookie and redirects to the URL without it.
func (h *Gallery) resize(w http.ResponseWriter, r *http.Request, size string) error {
	http.SetCookie(w, &http.Cookie{Name: wall.SizeCookie, Value: size, Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, Secure: h.cookies.ForHost()})
	q := r.URL.Query()
	q.Del("size")
	address := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	return web.SeeOther(w, r, address.String())
}
