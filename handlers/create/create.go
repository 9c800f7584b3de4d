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
	creditRequests site.CreditRequests
	catalog        *videoapi.Catalog
	copies         *media.Copies
	guard          *site.Guard
	log            *slog.Logger
	making         *form.Making
	media          *media.Store
	named          *site.Named
	network        *site.Network
	pages          *site.Pages
	pictures       *picture.Pictures
	press          *press.Press
	stored         *video.Pictures
	tasks          *video.Tasks
	typed          *site.TypedForms
	listVersions   *site.ListVersions

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
		creditRequests: site.NewCreditRequests(s.Store.Limits, s.Log), catalog: s.Catalog, copies: s.Copies,
		guard: s.Guard, log: s.Log, making: making, media: s.Media, named: s.Named, network: s.Network,
		pages: s.Pages, pictures: making.Pictures, press: making.Press, stored: s.Store.Pictures,
		tasks: s.Store.Tasks, typed: s.TypedForms, listVersions: s.ListVersions,
		drawing: turn.New(1), tries: throttle.New(1000), refuseFrame: refuseFrame,
	}
}

// Routes returns the room's rows.
func (h *Create) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /{$}", signedIn, h.Home, site.ForViewers).Gets(303, ""),
		site.On("GET /create/{scene}", maker, h.ShowForm, site.ForMakers).At("text-to-video", "image-to-video?from={failed}&use=retried").
			Gets(200, "text-to-video"),
		site.On("POST /create/{scene}", maker, h.Make, site.ForMakers).
			Sends("text-to-video", "token=ATOKENOFTHETESTS&model=seedance-2.0&prompt=a+tram"+
				"&duration=4&resolution=480p&aspect_ratio=16:9&generate_audio=true").
			Sends("text-to-video", "token=ATOKENOFTHETESTS&model=seedance-2.0&prompt=").Gets(422, "text-to-video"),
		site.On("GET /create/{scene}/options", maker, h.Options, site.ForMakers).At("text-to-video?model=veo3").
			Gets(200, "text-to-video?model=veo3"),
		site.On("POST /create/{scene}/cast", maker, h.ShowCast, site.ForMakers).Sends("text-to-video", "model=seedance-2.0&prompt=@anna").
			Gets(303, "text-to-video").Gets(404, "sideways"),
		site.On("POST /create/{scene}/list", maker, h.ShowList, site.ForMakers).
			Sends("text-to-video", "model=seedance-2.0&prompt=A+boat%0AA+tram").Gets(200, "text-to-video"),
		site.On("GET /create/picture", maker, web.FromSameOrigin(h.ShowPictureNote), site.ForMakers).At("?url=").Gets(200, "?url="),
		site.On("POST /pictures", maker, web.UpTo(picture.MaxUpload, h.AddPictures), site.ForMakers).
			Uploads("?scene=image-to-video", "", "file.image_input.0").Gets(422, "?scene=image-to-video"),
		site.On("GET /pictures", maker, h.ListPictures, site.ForMakers).At("", "?who=all").Gets(200, "", "?who=all&page=2"),
		site.On("GET /pictures/linked", signedIn, web.FromSameOrigin(h.ShowLinked), site.ForViewers).
			At("?address=http://127.0.0.1:1/a.png").Gets(404, "", "?address=http://127.0.0.1:1/a.png"),
		site.On("POST /pictures/{id}/delete", maker, site.ByID(h.DeletePicture), site.ForMakers).At("1").Gets(404, "99999"),
		site.On("GET /p/{token}", h.guard.Known, h.ShowPicture, site.ForAnybody).At("{picture}").Gets(200, "{picture}").
			Gets(404, "nothing"),
		site.On("GET /p/{token}/small", signedIn, web.FromSameOrigin(h.ShowThumbnail), site.ForViewers).At("{picture}").
			Gets(200, "{picture}").Gets(404, "nothing"),
		site.On("GET /tasks/latest", signedIn, h.ShowLatest, site.ForViewers),
		site.On("POST /tasks/{id}/again", maker, h.Again, site.ForMakers).At("{failed}").OwnerGets(409, "{done}").
			OwnerGets(303, "{failed}"),
		site.On("POST /tasks/{id}/hide", maker, h.Hide, site.ForMakers).At("{failed}").OwnerGets(409, "{done}"),
		site.On("POST /tasks/{id}/resend", maker, h.Resend, site.ForMakers).At("{unconfirmed}").OwnerGets(409, "{done}"),
		site.On("GET /tasks/{id}/next-take", maker, h.ShowNextTake, site.ForMakers).At("{film}?note={note}").Gets(200, "{done}").
			OwnerGets(200, "{failed}?note=4711"),
		site.On("POST /tasks/{id}/next-take", maker, web.UpTo(picture.MaxUpload, h.BeginNextTake), site.ForMakers).
			Uploads("{film}", "note={note}", "frame").Gets(303, "{done}").OwnerGets(303, "{failed}"),
		site.On("POST /tasks/{id}/next", maker, web.UpTo(picture.MaxUpload, h.BeginNextScene), site.ForMakers).
			Uploads("{film}", "at=1", "frame").Gets(409, "{done}").OwnerGets(409, "{failed}"),
		site.On("POST /drafts/discard", maker, h.DiscardDraft, site.ForMakers).Sends("", "page=/create/text-to-video").Gets(303, ""),
	}
}
