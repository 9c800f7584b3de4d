// Package api serves people's own programs: requests and answers in JSON, under /api/v1,
// with a token instead of a session. Under /api/ai it speaks the dialect of the video
// service, for programs that were written for that. It decides nothing itself: whatever a
// page allows or refuses is decided by the same stores and the same Press.
package api

import (
	"log/slog"
	"net/http"

	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/form"
	images "dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// API is the room of people's own programs.
type API struct {
	bin         *video.Bin
	cast        *video.Cast
	catalog     *videoapi.Catalog
	collections *video.Collections
	making      *form.Making
	guests      *video.Guests
	hooks       *site.Hooks
	limits      *people.Limits
	lineage     *video.Lineage
	log         *slog.Logger
	network     *site.Network
	notes       *video.Notes
	pages       *site.Pages
	pictures    *images.Pictures
	press       *press.Press
	programs    *people.Programs
	recipes     *video.Recipes
	search      *video.Search
	settings    *people.Settings
	files       *site.StoredFiles
	tags        *video.Tags
	tasks       *video.Tasks
	tokens      *Guard      // of programs
	users       *site.Guard // of people
	vault       *secrets.Vault
	webhooks    *people.Webhooks

	running  running
	stopping <-chan struct{} // closed when requests that wait have to end
	waits    waits
}

// maxTokens is how many tokens are counted at the same time for the limits of requests.
const maxTokens = 10_000

// New returns the room. Requests that wait end when stopping is closed.
func New(s *site.Site, making *form.Making, stopping <-chan struct{}) *API {
	store := s.Store
	return &API{
		bin: store.Bin, cast: store.Cast, catalog: s.Catalog, collections: store.Collections, making: making,
		guests: store.Guests, hooks: s.Hooks, limits: store.Limits, lineage: store.Lineage, log: s.Log,
		network: s.Network, notes: store.Notes, pages: s.Pages, pictures: making.Pictures, press: making.Press, programs: store.Programs,
		recipes: store.Recipes, search: store.Search, settings: store.Settings, files: s.StoredFiles, tags: store.Tags, tasks: store.Tasks,
		tokens: &Guard{log: s.Log, network: s.Network, programs: store.Programs, rates: throttle.New(maxTokens),
			queries: documentedQueries()},
		users: s.Guard, vault: s.Vault, webhooks: store.Webhooks,
		running: running{now: map[string]bool{}}, stopping: stopping, waits: waits{now: map[int64]int{}},
	}
}

// Routes returns the room's rows.
func (a *API) Routes() []site.Route {
	tokens, users := a.tokens, a.users
	return []site.Route{
		site.On("GET /api", users.SignedIn, a.ShowGuide, site.ForViewers),
		site.On("GET /api/v1/openapi.json", tokens.Anybody, Document, site.ForAnybody),
		site.On("GET /api/v1/me", tokens.Look, a.Me, site.ForLookTokens),
		site.On("GET /api/v1/limits", tokens.Look, a.Limits, site.ForLookTokens),
		site.On("GET /api/v1/usage", tokens.Look, a.Usage, site.ForLookTokens),
		site.On("GET /api/v1/models", tokens.Look, a.ListModels, site.ForLookTokens),
		site.On("GET /api/v1/recipes", tokens.Look, a.ListRecipes, site.ForLookTokens),
		site.On("GET /api/v1/cast", tokens.Look, a.ListCast, site.ForLookTokens),
		site.On("GET /api/v1/collections", tokens.Look, a.ListCollections, site.ForLookTokens),
		site.On("POST /api/v1/quotes", tokens.Look, a.Quote, site.ForLookTokens).
			Sends("", `{"scene":"text-to-video","model":"seedance-2.0","prompt":"a tram","options":{"duration":5}}`),
		site.On("GET /api/v1/videos", tokens.Look, a.ListVideos, site.ForLookTokens).At("?limit=1").Gets(401, ""),
		site.On("POST /api/v1/videos", tokens.Spend, a.MakeVideos, site.ForMakeTokens).
			Sends("", `{"scene":"text-to-video","model":"seedance-2.0","prompt":"a tram","options":{"duration":5},`+
				`"title":"Tram","max_credits":30}`),
		site.On("GET /api/v1/videos/{id}", tokens.Look, a.ShowVideo, site.ForLookTokens).At("{film}").Gets(401, "{done}"),
		site.On("PATCH /api/v1/videos/{id}", tokens.Make, a.SaveVideo, site.ForMakeTokens).
			Sends("{film}", `{"title":"The harbour","star":false,"tags":["sea"],"private":true}`).Gets(401, "{done}"),
		site.On("DELETE /api/v1/videos/{id}", tokens.Change, a.DeleteVideo, site.ForChangeTokens).At("{film}").Gets(401, "{done}"),
		site.On("GET /api/v1/videos/{id}/file", tokens.Look, a.SendFile, site.ForLookTokens).At("{film}").Gets(401, "{done}"),
		site.On("GET /api/v1/videos/{id}/notes", tokens.Look, a.ListNotes, site.ForLookTokens).At("{film}").Gets(401, "{done}"),
		site.On("POST /api/v1/pictures", tokens.Make, a.AddPicture, site.ForMakeTokens).
			Sends("", `{"url":"http://dailies.invalid/p/{picture}"}`),
		site.On("POST /api/v1/recipes/{id}/videos", tokens.Spend, a.MakeFromRecipe, site.ForMakeTokens).
			Sends("{recipe}", `{"blanks":{"product":"cup","place":"oak"},"max_credits":30}`).Gets(401, "1"),
		site.On("GET /api/v1/webhooks", tokens.Look, a.ListWebhooks, site.ForLookTokens),
		site.On("POST /api/v1/webhooks", tokens.Change, a.AddWebhook, site.ForChangeTokens).
			Sends("", `{"url":"https://hooks.example.com/z","types":["test"]}`),
		site.On("DELETE /api/v1/webhooks/{id}", tokens.Change, a.DeleteWebhook, site.ForChangeTokens).At("1"),
		site.On("POST /api/v1/webhooks/{id}/secret", tokens.Change, a.RenewSecret, site.ForChangeTokens).At("1"),
		site.On("POST /api/v1/webhooks/{id}/test", tokens.Change, a.TestWebhook, site.ForChangeTokens).At("1"),
		site.On("GET /api/v1/webhooks/{id}/deliveries", tokens.Look, a.ListDeliveries, site.ForLookTokens).At("1"),
		site.On("POST /api/v1/webhooks/{id}/deliveries/{delivery}/again", tokens.Change, a.SendAgain, site.ForChangeTokens).At("1/1"),
		site.On("/api/v1/", tokens.Look, Nothing, site.ForLookTokens).At("nothing"),
		site.On("POST /api/ai/generate", tokens.Generate, a.Generate, site.ForMakeTokens).
			Sends("", `{"mediaType":"video","scene":"text-to-video","model":"seedance-2.0","prompt":"a tram"}`).Gets(200, ""),
		site.On("POST /api/ai/query", tokens.Query, a.Query, site.ForLookTokens).Sends("", `{"taskId":"{film}"}`).Gets(200, ""),
		site.On("GET /api/ai/files/{file}", users.Open, a.SendSigned, site.ForAnybody).At("{signed}").Gets(404, "1.1.1.1.x.mp4"),
		site.On("/api/ai/", users.Open, NoSuchCall, site.ForAnybody).At("nothing").Gets(404, "nothing"),
	}
}

// Nothing answers addresses that do not exist.
func Nothing(http.ResponseWriter, *http.Request) error { return gone() }
