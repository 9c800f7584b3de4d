package form

import (
	"context"
	"log/slog"
	"net/http"

	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/people"
	"dailies/db/store/video"
	images "dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/web/videoapi"
)

// Making is what the pages on which videos are ordered, and the programs that order them,
// share: it fills in forms and recipes, keeps drafts of them, and reads what was made last.
type Making struct {
	Pictures *images.Pictures
	Press    *press.Press

	creditRequests site.CreditRequests
	cards          *site.Cards
	catalog        *videoapi.Catalog
	registry       *service.Registry
	keys           *site.Keys
	limits         *people.Limits
	log            *slog.Logger
	network        *site.Network
	notes          *video.Notes
	recipes        *video.Recipes
	settings       *people.Settings
	stored         *video.Pictures
	takes          *video.Takes
	tasks          *video.Tasks
	typed          *site.TypedForms
	versions       func(context.Context, string) (schedule.Versions, error)
	listVersions   *site.ListVersions
}

// New returns it. fetch downloads pictures that users link to, and must refuse private
// addresses. quota limits uploaded pictures; the zero value means the default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Making {
	pictures := images.New(s, fetch, quota)
	return &Making{
		Pictures: pictures, Press: press.New(s, pictures),
		creditRequests: site.NewCreditRequests(s.Store.Limits, s.Log), cards: cards, catalog: s.Catalog, registry: s.Registry, keys: s.Keys,
		limits: s.Store.Limits, log: s.Log, network: s.Network, notes: s.Store.Notes, recipes: s.Store.Recipes,
		settings: s.Store.Settings, stored: s.Store.Pictures, takes: s.Store.Takes, tasks: s.Store.Tasks, typed: s.TypedForms,
		versions: s.Store.Versions, listVersions: s.ListVersions,
	}
}
