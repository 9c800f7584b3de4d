// Package site holds what every handler builds on: who asks and what they may
// see, the frame of a page, forms that are kept, reading requests, and limits.
package site

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// A Config names what a Site works with.
type Config struct {
	Store   *store.Store
	Media   *media.Store
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Cookies *web.Cookies
	Sandbox Sandbox // nil with a real service
	Log     *slog.Logger

	Mail      bool   // mails are sent
	MailFrom  string // and how, for admins: the server, and whom they come from
	Dev       bool   // shows the pages for those who work on the app
	PublicURL string // how others reach the app, without a slash at the end
	// Proxies are the reverse proxies whose X-Forwarded-For is trusted.
	Proxies throttle.Proxies
	// Space measures the free space for files; nil where it is not limited.
	Space func(context.Context) (db.Space, error)
	Wake  func() // tells the watcher that a task waits
}

// A Site is shared by all handlers. Its methods are safe for concurrent use.
type Site struct {
	Config
	Tries  *Tries
	Keys   *Keys
	Intake *Intake

	notices notices
	// settled is set once the first account exists, which saves a query per request.
	settled atomic.Bool
	// unproxied is done once the log has warned about an unnamed proxy.
	unproxied sync.Once
}

// New returns a Site.
func New(c Config) *Site {
	s := &Site{Config: c}
	s.Tries = &Tries{s}
	s.Keys = &Keys{s}
	s.Intake = &Intake{site: s, senders: turn.New(maxSenders), Judges: turn.New(maxJudged)}
	return s
}

// Keys opens and keeps the API keys of people.
type Keys struct{ site *Site }

// Cards builds the cards that show videos.
type Cards struct {
	site *Site
	// Finals returns the function that prices the finals of one page's drafts.
	Finals func(context.Context) func(db.Task) *part.Final
}

// NewCards returns the Cards of a site.
func NewCards(s *Site, finals func(context.Context) func(db.Task) *part.Final) *Cards {
	return &Cards{s, finals}
}

// Intake bounds how many files are received and judged at one time.
type Intake struct {
	site    *Site
	senders *turn.Line // of the people who send files
	Judges  *turn.Line // of the pictures that are in memory
}

// Health answers whether the program runs, and whether it can write.
type Health struct {
	site *Site
	// Writable checks that the data folder can be written to; nil where only
	// the database counts.
	Writable func(context.Context) error
	writes   Readiness
}

// NewHealth returns the Health of a site.
func NewHealth(s *Site, writable func(context.Context) error) *Health {
	return &Health{site: s, Writable: writable}
}
