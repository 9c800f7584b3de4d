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
	"sync/atomic"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/db/team"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// Config holds a Site's dependencies and settings.
type Config struct {
	Store   *store.Store
	Media   *media.Store
	Copies  *media.Copies // thumbnails of pictures on other sites
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Cookies *web.Cookies
	Sandbox Sandbox // nil with a real service
	Log     *slog.Logger

	Mail      bool   // mails can be sent
	MailFrom  string // the mail server and the sender's address, for admins
	Dev       bool   // shows the pages for developers
	PublicURL string // the app's URL for others, without a trailing slash
	// Proxies are the reverse proxies whose X-Forwarded-For is trusted.
	Proxies throttle.Proxies
	// Hashes is how many passwords may be hashed at the same time; 0 means DefaultHashes.
	Hashes int
	// Space measures the free space for files; nil if it is not limited.
	Space func(context.Context) (db.Space, error)
	// SessionMax limits how long a session that began by the provider lasts; 0 means as
	// long as any other.
	SessionMax time.Duration
	Wake       func() // tells the watcher that a task is queued
	// Refused counts a refused sign-in; nil if nobody counts.
	Refused func(team.Refusal)
}

// A Site is shared by all handlers. Its methods are safe for concurrent use.
type Site struct {
	Config
	Tries   *Tries
	Keys    *Keys
	Intake  *Intake
	Hashing *Hashing
	Past    *Past

	notices notices
	program string // its version
	// settled is set once an account exists, which saves a query for each request.
	settled atomic.Bool
	// unproxied runs once, to log a warning about an unknown reverse proxy.
	unproxied sync.Once
}

// New returns a Site.
func New(c Config) *Site {
	if c.Refused == nil {
		c.Refused = func(team.Refusal) {}
	}
	s := &Site{Config: c, Hashing: NewHashing(c.Hashes), program: programVersion()}
	s.Past = &Past{site: s}
	s.Tries = &Tries{site: s}
	s.Keys = &Keys{s}
	s.Intake = &Intake{site: s, senders: turn.New(maxSenders), Judges: turn.New(maxJudged)}
	return s
}

// Keys stores and decrypts the users' API keys.
type Keys struct{ site *Site }

// Cards builds the cards that show videos.
type Cards struct {
	site *Site
	// Finals returns the function that prices the final versions of one page's
	// drafts. The versions may be nil.
	Finals func(context.Context, db.Versions) func(db.Task) *part.Final
}

// NewCards returns the Cards of a site.
func NewCards(s *Site, finals func(context.Context, db.Versions) func(db.Task) *part.Final) *Cards {
	return &Cards{s, finals}
}

// Intake limits how many files are received and inspected at the same time.
type Intake struct {
	site    *Site
	senders *turn.Semaphore // users whose files are being received
	Judges  *turn.Semaphore // pictures in memory that are being inspected
}

// Health answers whether the program runs and whether it can write.
type Health struct {
	site *Site
	// Writable checks that the data folder can be written; nil if only the database
	// matters.
	Writable func(context.Context) error
	writes   Readiness
}

// NewHealth returns the Health of a site.
func NewHealth(s *Site, writable func(context.Context) error) *Health {
	return &Health{site: s, Writable: writable}
}
