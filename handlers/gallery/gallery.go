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
		site.On("GET /gallery", signedIn, h.Show, site.ForViewers).At("", "?q=boat&who=me&status=all").
			Gets(200, "?through=1", "?q=boat&who=me&scene=text-to-video&model=veo3&status=all&before=5").Gets(303, "?size=l"),
		site.On("GET /gallery/counts", signedIn, h.ShowCounts, site.ForViewers).At("?menu=model", "?menu=date").
			Gets(200, "?menu=model&scene=text-to-video&before=5", "?menu=date").Gets(404, "?menu=nonsense"),
		site.On("GET /gallery/tile", signedIn, h.ShowTile, site.ForViewers).At("?id={film}").Gets(200, "?id={done}&model=veo3").
			OwnerGets(200, "?id={failed}"),
		site.On("GET /gallery/menu", signedIn, h.ShowMenu, site.ForViewers).At("?id={film}").Gets(200, "?id={done}").
			OwnerGets(200, "?id={failed}").Gets(404, "?id=x"),
		site.On("GET /gallery/takes", signedIn, h.ShowTakes, site.ForViewers).At("?id={film}").Gets(200, "?id={done}").
			OwnerGets(200, "?id={failed}"),
		site.On("GET /go", signedIn, h.ShowPalette, site.ForViewers).At("?q=film").Gets(200, "", "?q=%C3%28%00boat"),
		site.On("GET /compare", signedIn, h.Compare, site.ForViewers).At("?id={film}&id={other}").Gets(200, "?id={done}&id=99999&id=x"),
		site.On("GET /bin", maker, h.ShowBin, site.ForMakers),
		site.On("POST /bin/empty", maker, h.EmptyBin, site.ForMakers),
		site.On("POST /tasks/star", signedIn, h.Star, site.ForViewers).Sends("", "id={film}&id={other}&on=true").
			Sends("", "id={other}&on=true"),
		site.On("POST /tasks/tag", maker, h.Tag, site.ForMakers).Sends("", "id={film}&id={other}&add=sea,boat&remove=harbour"),
		site.On("POST /tasks/private", maker, h.Hide, site.ForMakers).Sends("", "id={other}&on=true"),
		site.On("POST /tasks/delete", maker, h.Delete, site.ForMakers).Sends("", "id={film}&id={other}"),
		site.On("POST /tasks/restore", maker, h.Restore, site.ForMakers).Sends("", "id={binned}"),
		site.On("GET /tasks/download", signedIn, h.Download, site.ForViewers).At("?id={film}&id={other}").Gets(200, "?id={done}").
			OwnerGets(200, "?id={failed}").Gets(404, "?id=x"),
		site.On("GET /tasks/{id}/recipe", signedIn, h.DownloadMaking, site.ForViewers).At("{failed}").OwnerGets(200, "{failed}"),
		site.On("GET /collections", signedIn, h.ListCollections, site.ForViewers),
		site.On("POST /collections", maker, h.CreateCollection, site.ForMakers).Sends("", "name=Summer&note=warm"),
		site.On("POST /collections/add", maker, h.AddToCollection, site.ForMakers).Sends("", "id={done}&collection={collection}").
			Sends("", "id={done}&name=Winter"),
		site.On("GET /collections/find", signedIn, h.FindCollections, site.ForViewers).At("?name=Sp").Gets(200, "?name=x"),
		site.On("GET /collections/{id}", signedIn, h.ShowCollection, site.ForViewers).At("{collection}").Gets(200, "{collection}").
			Gets(404, "99999", "x"),
		site.On("POST /collections/{id}", maker, h.SaveCollection, site.ForMakers).Sends("{collection}", "name=May&note=mild").
			Gets(422, "{collection}").Gets(404, "99999"),
		site.On("POST /collections/{id}/remove", maker, h.RemoveFromCollection, site.ForMakers).Sends("{collection}", "id={film}").
			Gets(422, "{collection}"),
		site.On("POST /collections/{id}/move", maker, h.MoveInCollection, site.ForMakers).Sends("{collection}", "id={film}&to=later").
			Gets(422, "{collection}"),
		site.On("POST /collections/{id}/delete", maker, byID(h.DeleteCollection), site.ForMakers).At("{collection}").Gets(404, "99999"),
		site.On("POST /collections/{id}/restore", maker, byID(h.RestoreCollection), site.ForMakers).At("{deleted collection}").
			Gets(404, "{collection}"),
		site.On("GET /collections/{id}/share", signedIn, h.links.Show(h.shareable), site.ForViewers).At("{collection}").
			Gets(200, "{collection}").Gets(404, "99999"),
		site.On("POST /collections/{id}/share", maker, h.links.Make(h.shareable), site.ForMakers).
			Sends("{collection}", "title=Spring&days=7").Gets(409, "{collection}").Gets(404, "99999"),
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
		return h.pages.Draw(w, r, http.StatusOK, "Gallery", libraryview.ShowGallery(g))
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
