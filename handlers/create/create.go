// Package create serves the pages on which videos are ordered.
package create

import (
	"log/slog"
	"net/http"

	"golang.org/x/sync/singleflight"

	"dailies/db/media"
	"dailies/db/store/video"
	"dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// Create is the room of the pages on which videos are ordered.
type Create struct {
	asks     site.Asks
	catalog  *videoapi.Catalog
	copies   *media.Copies
	guard    *site.Guard
	log      *slog.Logger
	making   *form.Making
	media    *media.Store
	named    *site.Named
	network  *site.Network
	pages    *site.Pages
	pictures *picture.Pictures
	press    *press.Press
	stored   *video.Pictures
	tasks    *video.Tasks
	typed    *site.TypedForms
	watches  *site.Watches

	drawing *turn.Semaphore    // of one place: a picture that is drawn is in memory
	fetches singleflight.Group // of linked pictures, by address
	tries   *throttle.Throttle // limits how often a picture that cannot be shown is fetched
	// refuseFrame draws a video's page again, with the reason why a frame of it cannot be used.
	refuseFrame func(w http.ResponseWriter, r *http.Request, why string) error
}

// New returns the room. refuseFrame draws the page of the video in the path again, with the
// reason why a frame of it cannot be used.
func New(s *site.Site, making *form.Making, refuseFrame func(w http.ResponseWriter, r *http.Request, why string) error) *Create {
	return &Create{
		asks: site.NewAsks(s.Store.Limits, s.Log), catalog: s.Catalog, copies: s.Copies,
		guard: s.Guard, log: s.Log, making: making, media: s.Media, named: s.Named, network: s.Network,
		pages: s.Pages, pictures: making.Pictures, press: making.Press, stored: s.Store.Pictures,
		tasks: s.Store.Tasks, typed: s.TypedForms, watches: s.Watches,
		drawing: turn.New(1), tries: throttle.New(1000), refuseFrame: refuseFrame,
	}
}

// Routes returns the room's rows.
func (h *Create) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /{$}", signedIn, h.Home),
		site.On("GET /create/{scene}", maker, h.ShowForm),
		site.On("POST /create/{scene}", maker, h.Make),
		site.On("GET /create/{scene}/options", maker, h.Options),
		site.On("POST /create/{scene}/cast", maker, h.ShowCast),
		site.On("POST /create/{scene}/list", maker, h.ShowList),
		site.On("GET /create/picture", maker, web.FromSameOrigin(h.ShowPictureNote)),
		site.On("POST /pictures", maker, web.UpTo(picture.MaxUpload, h.AddPictures)),
		site.On("GET /pictures", maker, h.ListPictures),
		site.On("GET /pictures/linked", signedIn, web.FromSameOrigin(h.ShowLinked)),
		site.On("POST /pictures/{id}/delete", maker, site.ByID(h.DeletePicture)),
		site.On("GET /p/{token}", h.guard.Known, h.ShowPicture),
		site.On("GET /p/{token}/small", signedIn, web.FromSameOrigin(h.ShowThumbnail)),
		site.On("GET /tasks/latest", signedIn, h.ShowLatest),
		site.On("POST /tasks/{id}/again", maker, h.Again),
		site.On("POST /tasks/{id}/hide", maker, h.Hide),
		site.On("POST /tasks/{id}/resend", maker, h.Resend),
		site.On("GET /tasks/{id}/next-take", maker, h.ShowNextTake),
		site.On("POST /tasks/{id}/next-take", maker, web.UpTo(picture.MaxUpload, h.BeginNextTake)),
		site.On("POST /tasks/{id}/next", maker, web.UpTo(picture.MaxUpload, h.BeginNextScene)),
		site.On("POST /drafts/discard", maker, h.DiscardDraft),
	}
}
