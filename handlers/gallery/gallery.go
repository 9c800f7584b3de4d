// Package gallery serves the pages on which videos are found and organised.
package gallery

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"dailies/db/media"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/web"
	"dailies/web/videoapi"
)

// Gallery is the room of the pages on which videos are found and organised.
type Gallery struct {
	accounts    *people.Accounts
	bin         *video.Bin
	cards       *site.Cards
	cast        *video.Cast
	catalog     *videoapi.Catalog
	collections *video.Collections
	cookies     *web.Cookies
	flashes     *site.Flashes
	guard       *site.Guard
	links       *share.Links
	lists       *wall.Lists
	log         *slog.Logger
	media       *media.Store
	named       *site.Named
	pages       *site.Pages
	recipes     *video.Recipes
	search      *video.Search
	settings    *people.Settings
	tags        *video.Tags
	tasks       *video.Tasks
	typed       *site.TypedForms
	zones       *site.Zones
}

// New returns the room.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, links *share.Links) *Gallery {
	return &Gallery{
		accounts: s.Store.Accounts, bin: s.Store.Bin, cards: cards, cast: s.Store.Cast, catalog: s.Catalog,
		collections: s.Store.Collections, cookies: s.Cookies, flashes: s.Flashes, guard: s.Guard, links: links,
		lists: lists, log: s.Log, media: s.Media, named: s.Named, pages: s.Pages, recipes: s.Store.Recipes,
		search: s.Store.Search, settings: s.Store.Settings, tags: s.Store.Tags,
		tasks: s.Store.Tasks, typed: s.TypedForms, zones: s.Zones,
	}
}

// Routes returns the room's rows.
func (h *Gallery) Routes() []site.Route {
	byID, signedIn, maker := site.ByID, h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /gallery", signedIn, h.Show),
		site.On("GET /gallery/counts", signedIn, h.ShowCounts),
		site.On("GET /gallery/tile", signedIn, h.ShowTile),
		site.On("GET /gallery/menu", signedIn, h.ShowMenu),
		site.On("GET /gallery/takes", signedIn, h.ShowTakes),
		site.On("GET /go", signedIn, h.ShowPalette),
		site.On("GET /compare", signedIn, h.Compare),
		site.On("GET /bin", maker, h.ShowBin),
		site.On("POST /bin/empty", maker, h.EmptyBin),
		site.On("POST /tasks/star", signedIn, h.Star),
		site.On("POST /tasks/tag", maker, h.Tag),
		site.On("POST /tasks/private", maker, h.Hide),
		site.On("POST /tasks/delete", maker, h.Delete),
		site.On("POST /tasks/restore", maker, h.Restore),
		site.On("GET /tasks/download", signedIn, h.Download),
		site.On("GET /tasks/{id}/recipe", signedIn, h.DownloadMaking),
		site.On("GET /collections", signedIn, h.ListCollections),
		site.On("POST /collections", maker, h.CreateCollection),
		site.On("POST /collections/add", maker, h.AddToCollection),
		site.On("GET /collections/find", signedIn, h.FindCollections),
		site.On("GET /collections/{id}", signedIn, h.ShowCollection),
		site.On("POST /collections/{id}", maker, h.SaveCollection),
		site.On("POST /collections/{id}/remove", maker, h.RemoveFromCollection),
		site.On("POST /collections/{id}/move", maker, h.MoveInCollection),
		site.On("POST /collections/{id}/delete", maker, byID(h.DeleteCollection)),
		site.On("POST /collections/{id}/restore", maker, byID(h.RestoreCollection)),
		site.On("GET /collections/{id}/share", signedIn, h.links.Show(h.shareable)),
		site.On("POST /collections/{id}/share", maker, h.links.Make(h.shareable)),
	}
}

// Show shows everybody's finished videos, or those that match the filter. An htmx
// request gets only the parts that depend on the filter or, with "before", only the
// older videos.
func (h *Gallery) Show(w http.ResponseWriter, r *http.Request) error {
	if size := r.URL.Query().Get("size"); slices.Contains(libraryview.Sizes(), size) {
		return h.resize(w, r, size)
	}
	g, err := h.lists.Filter(r)
	if err != nil {
		return err
	}
	if g, err = h.lists.Videos(r, g); err != nil {
		return err
	}
	if g.Filter.Before > 0 {
		return web.Part(w, r, http.StatusOK, libraryview.GalleryMore(g), h.wholePage(g))
	}
	if err := h.fillMenus(r, &g); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.GalleryPart(g), h.wholePage(g))
}

// wholePage returns the handler for the whole page.
func (h *Gallery) wholePage(g libraryview.Gallery) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if g.Filter.Before > 0 {
			var err error
			if _, g.Total, err = h.search.CountedTasks(r.Context(), g.Filter); err != nil {
				return err
			}
			if err := h.fillMenus(r, &g); err != nil {
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
	http.SetCookie(w, &http.Cookie{
		Name: wall.SizeCookie, Value: size, Path: "/", MaxAge: 365 * 24 * 3600,
		SameSite: http.SameSiteLaxMode, Secure: h.cookies.ForHost(),
	})
	q := r.URL.Query()
	q.Del("size")
	address := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	return web.SeeOther(w, r, address.String())
}
