// Package api serves people's own programs: requests and answers in JSON, under /api/v1,
// with a token instead of a session. Under /api/ai it speaks the dialect of the video
// service, for programs that were written for that. It decides nothing itself: whatever a page allows or
// refuses is decided by the same stores and the same Press.
package api

import (
	"net/http"

	"dailies/handlers/form"
	"dailies/handlers/site"
	"dailies/web/throttle"
)

// Handlers are the handlers of this package.
type Handlers struct {
	Guard    *Guard
	Videos   *Videos
	Show     *Show
	Changes  *Changes
	Quotes   *Quotes
	Orders   *Orders
	Dialect  *Dialect
	Signed   *Signed
	Recipes  *Recipes
	Pictures *Pictures
	Notes    *Notes
	Lists    *Lists
	Person   *Person
	Guide    *Guide
	Hooks    *Webhooks
}

// maxTokens is how many tokens are counted at the same time for the limits of requests.
const maxTokens = 10_000

// New returns the handlers. Requests that wait end when stopping is closed.
func New(s *site.Site, making *form.Making, stopping <-chan struct{}) *Handlers {
	store, drawn := s.Store, drawing{s.Network}
	videos := &Videos{drawing: drawn, search: store.Search, settings: store.Settings, stored: s.Stored, tasks: store.Tasks}
	quotes := &Quotes{catalog: s.Catalog, press: making.Press}
	orders := &Orders{
		drawing: drawn, quotes: quotes, made: &made{lineage: store.Lineage, tasks: store.Tasks},
		requests: &requests{log: s.Log, programs: store.Programs, running: running{now: map[string]bool{}}},
	}
	files := &Signed{programs: store.Programs, vault: s.Vault, videos: videos}
	return &Handlers{
		Guard: &Guard{log: s.Log, network: s.Network, programs: store.Programs, rates: throttle.New(maxTokens),
			queries: documentedQueries()},
		Videos:   videos,
		Show:     &Show{Videos: videos, stopping: stopping, waits: &waits{now: map[int64]int{}}},
		Changes:  &Changes{Videos: videos, bin: store.Bin, tags: store.Tags},
		Quotes:   quotes,
		Orders:   orders,
		Dialect:  &Dialect{Orders: orders, videos: videos, files: files},
		Signed:   files,
		Recipes:  &Recipes{Orders: orders, recipes: making.Fillings},
		Notes:    &Notes{Videos: videos, guests: store.Guests, notes: store.Notes},
		Pictures: &Pictures{pictures: making.Pictures},
		Lists:    &Lists{cast: store.Cast, catalog: s.Catalog, collections: store.Collections, recipes: store.Recipes},
		Person:   &Person{limits: store.Limits},
		Guide:    &Guide{network: s.Network, pages: s.Pages},
		Hooks:    &Webhooks{hooks: s.Hooks, webhooks: store.Webhooks},
	}
}

// Nothing answers addresses that do not exist.
func Nothing(http.ResponseWriter, *http.Request, Caller) error { return gone() }
