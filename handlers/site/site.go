// Package site holds what all handlers share: the viewer and their permissions, the
// frame of a page, kept form input, request parsing and rate limits.
//
// The viewer is the user who made the request. The frame is what all pages have in
// common, such as the navigation and the flash, a message that is shown once. Typed
// input is a form that was submitted after its session had ended; it is kept until the
// user has signed in again.
package site

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dailies/db/media"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// Config holds a Site's dependencies and settings.
type Config struct {
	Store    *store.Store
	Media    *media.Store
	Copies   *media.Copies // thumbnails of pictures on other sites
	Catalog  *videoapi.Catalog
	Vault    *secrets.Vault
	Cookies  *web.Cookies
	Registry *service.Registry // which video service the team uses
	Log      *slog.Logger

	Mail      bool   // mails can be sent
	MailFrom  string // the mail server and the sender's address, for admins
	Dev       bool   // shows the pages for developers
	PublicURL string // the app's URL for others, without a trailing slash
	// Proxies are the reverse proxies whose X-Forwarded-For is trusted.
	Proxies throttle.Proxies
	// Hashes is how many passwords may be hashed at the same time; 0 means DefaultHashes.
	Hashes int
	// Space measures the free space for files; nil if it is not limited.
	Space func(context.Context) (schedule.Space, error)
	// SessionMax limits how long a session that began by the provider lasts; 0 means as
	// long as any other.
	SessionMax time.Duration
	Wake       func() // tells the watcher that a task is queued
	// Sends reports whether this process or another sends tasks, so that a press may wait
	// for the service's answer; nil if one always does.
	Sends func() bool
	// Refused counts a refused sign-in; nil if nobody counts.
	Refused func(signin.Refusal)
}

// A Site has the parts from which the handlers are put together. Each handler takes the
// few that it needs, so that its fields tell what it can touch. All are safe for
// concurrent use.
type Site struct {
	Config
	Pages       *Pages
	Failures    *Failures
	Entry       *Entry
	Guard       *Guard
	Reauth      *Reauth
	Viewers     *Viewers
	TypedForms  *TypedForms
	Flashes     *Flashes
	Named       *Named
	Shares      *Shares
	StoredFiles *StoredFiles
	MailSealer  *MailSealer
	Network     *Network
	Zones       *Zones
	Journal     *Journal

	Attempts     *Attempts
	Keys         *Keys
	UploadLimits *UploadLimits
	Hashing      *Hashing
	History      *History
	ListVersions *ListVersions
	Films        *Films
	Hooks        *Hooks
}

// New returns a Site.
func New(c Config) *Site {
	if c.Refused == nil {
		c.Refused = func(signin.Refusal) {}
	}
	s := &Site{Config: c, Hashing: NewHashing(c.Hashes)}
	store := c.Store
	s.History = &History{catalog: c.Catalog, registry: c.Registry, tasks: store.Tasks, versions: store.Versions}
	s.Network = &Network{log: c.Log, proxies: c.Proxies, publicURL: c.PublicURL, registry: c.Registry}
	s.ListVersions = &ListVersions{program: programVersion(), registry: c.Registry, versions: store.Versions}
	s.Attempts = &Attempts{
		guesses: store.Guesses, log: c.Log, network: s.Network, now: store.Now,
		open: openGuesses{isShared: store.IsShared}, vault: c.Vault,
	}
	s.Films = &Films{log: c.Log, media: c.Media}
	s.Hooks = &Hooks{network: s.Network, attempts: s.Attempts, vault: c.Vault, webhooks: store.Webhooks}
	s.Journal = &Journal{log: c.Log, network: s.Network}
	s.Keys = &Keys{keys: store.Keys, log: c.Log, registry: c.Registry, vault: c.Vault}
	s.UploadLimits = &UploadLimits{log: c.Log, senders: turn.New(maxSenders), Judges: turn.New(maxJudged)}
	s.Viewers = &Viewers{cookies: c.Cookies, log: c.Log, sessionMax: c.SessionMax, sessions: store.Sessions}
	s.TypedForms = &TypedForms{cookies: c.Cookies, log: c.Log, network: s.Network, settings: store.Settings, attempts: s.Attempts}
	s.Flashes = &Flashes{cookies: c.Cookies}
	s.Named = &Named{recipes: store.Recipes, tasks: store.Tasks}
	s.Zones = &Zones{settings: store.Settings}
	s.StoredFiles = &StoredFiles{files: store.Files, log: c.Log, media: c.Media, tasks: store.Tasks}
	s.Shares = &Shares{guests: store.Guests, network: s.Network, vault: c.Vault}
	s.MailSealer = &MailSealer{Sent: c.Mail, now: store.Now, vault: c.Vault}
	s.Entry = &Entry{accounts: store.Accounts, cookies: c.Cookies, typed: s.TypedForms}
	s.Guard = &Guard{dev: c.Dev, entry: s.Entry, network: s.Network, typed: s.TypedForms, viewers: s.Viewers}
	s.Pages = &Pages{
		accounts: store.Accounts, registry: c.Registry, flashes: s.Flashes, keys: s.Keys, limits: store.Limits, notes: store.Notes,
		notices: notices{log: c.Log, space: c.Space}, settings: store.Settings, tasks: store.Tasks, typed: s.TypedForms,
		webhooks: store.Webhooks,
	}
	s.Reauth = &Reauth{hashing: s.Hashing, pages: s.Pages, attempts: s.Attempts}
	s.Failures = &Failures{log: c.Log, pages: s.Pages, viewers: s.Viewers}
	return s
}

// Pages draws pages in their frame, and answers forms with another page and a message
// on it.
type Pages struct {
	accounts *people.Accounts
	registry *service.Registry
	flashes  *Flashes
	keys     *Keys
	limits   *people.Limits
	notes    *video.Notes
	notices  notices
	settings *people.Settings
	tasks    *video.Tasks
	typed    *TypedForms
	webhooks *people.Webhooks
}

// A Guard lets only those requests through that may open an address.
type Guard struct {
	dev     bool
	entry   *Entry
	network *Network
	typed   *TypedForms
	viewers *Viewers
}

// Viewers finds out who has made a request, and extends sessions.
type Viewers struct {
	cookies    *web.Cookies
	log        *slog.Logger
	sessionMax time.Duration
	sessions   *people.Sessions
}

// TypedForms keeps what was typed into a form whose session had ended.
type TypedForms struct {
	cookies  *web.Cookies
	log      *slog.Logger
	network  *Network
	settings *people.Settings
	attempts *Attempts
}

// Named reads the task or the recipe that a request names, if the viewer may.
type Named struct {
	recipes *video.Recipes
	tasks   *video.Tasks
}

// Shares shows the addresses of links again.
type Shares struct {
	guests  *video.Guests
	network *Network
	vault   *secrets.Vault
}

// A MailSealer makes the mails for the outbox whose links are encrypted.
type MailSealer struct {
	Sent  bool // mails can be sent
	now   func() time.Time
	vault *secrets.Vault
}

// Network knows from which network address a request comes, and under which address the
// app is reached.
type Network struct {
	log       *slog.Logger
	proxies   throttle.Proxies
	publicURL string
	registry  *service.Registry
	// unproxied runs once, to log a warning about an unknown reverse proxy.
	unproxied sync.Once
}

// Zones knows the time zone in which pages show times.
type Zones struct{ settings *people.Settings }

// Keys stores and decrypts the users' API keys.
type Keys struct {
	keys     *people.Keys
	log      *slog.Logger
	registry *service.Registry
	vault    *secrets.Vault
}

// UploadLimits limits how many files are received and inspected at the same time.
type UploadLimits struct {
	log     *slog.Logger
	senders *turn.Semaphore // users whose files are being received
	Judges  *turn.Semaphore // pictures in memory that are being inspected
}

// Health answers whether the program runs and whether it can write.
type Health struct {
	log   *slog.Logger
	probe func(context.Context, time.Time) error
	// Writable checks that the data folder can be written; nil if only the database
	// matters.
	Writable func(context.Context) error
	writes   Readiness
}

// NewHealth returns the Health of a site.
func NewHealth(s *Site, writable func(context.Context) error) *Health {
	return &Health{log: s.Log, probe: s.Store.Writable, Writable: writable}
}
