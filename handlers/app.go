// Package handlers is what Dailies does when somebody asks: one route table,
// and one file for each noun.
package handlers

import (
	"context"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/account"
	"dailies/handlers/create"
	"dailies/handlers/library"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/videoapi"
)

// A Config names what an App works with.
type Config struct {
	site.Config
	Service    *videoapi.Client
	Fetch      *http.Client // guarded, and trusts no host; looks at the pictures that people link to
	SetupToken string       // opens /setup while there is no account
	Quota      create.Quota // of uploaded pictures; the zero value is the usual one
	Observe    web.Observer // counts requests; may be nil
	// Writable checks that the data folder can be written to; nil where only
	// the database counts.
	Writable func(context.Context) error
}

// An App answers every request.
type App struct {
	*site.Site
	Observe web.Observer

	account *account.Handlers
	create  *create.Handlers
	library *library.Handlers
	health  *site.Health
}

// New returns an App.
func New(c Config) *App {
	a := &App{
		Site: site.New(c.Config), Observe: c.Observe,
	}
	cards := site.NewCards(a.Site, create.NewPrices(a.Site).Finals)
	a.health = site.NewHealth(a.Site, c.Writable)
	a.account, a.library = account.New(a.Site, c.Service, c.SetupToken), library.New(a.Site, cards, c.Service)
	a.create = create.New(a.Site, cards, c.Fetch, c.Quota)
	a.create.Next.Refuse = a.library.Tasks.RefuseNext
	return a
}

// Settled tells the app that the watcher took the task a step further. It never
// blocks.
func (a *App) Settled(t db.Task) { a.create.Press.Settled(t) }

// rawFiles begin the addresses of files that are compressed already.
var rawFiles = []string{"/media/", "/p/"}

// Handler is the whole app: the route table behind the ordered middleware.
func (a *App) Handler() (http.Handler, error) {
	compress, err := web.Compress()
	if err != nil {
		return nil, err
	}
	return web.Chain(a.Routes(),
		web.Log(a.Log),
		web.Observe(a.Observe),
		web.Recover(a.Fail),
		web.Headers,
		web.HTTPSOnly(strings.HasPrefix(a.PublicURL, "https:")),
		web.Except(rawFiles, compress),
		web.SameOrigin(a.Fail),
		web.MaxBody(site.MaxForm),
	), nil
}
