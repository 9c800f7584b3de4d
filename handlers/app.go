// Package handlers is what Dailies does when somebody asks: one route table,
// and one file for each noun.
package handlers

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"dailies/handlers/account"
	"dailies/handlers/library"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// A Config names what an App works with.
type Config struct {
	site.Config
	Service    *videoapi.Client
	Fetch      *http.Client // guarded, and trusts no host; looks at the pictures that people link to
	SetupToken string       // opens /setup while there is no account
	Quota      Quota        // of uploaded pictures; the zero value is the usual one
	Observe    web.Observer // counts requests; may be nil
	// Writable checks that the data folder can be written to; nil where only
	// the database counts.
	Writable func(context.Context) error
}

// An App answers every request.
type App struct {
	*site.Site
	Quota   Quota
	Observe web.Observer

	account  *account.Handlers
	library  *library.Handlers
	cards    *site.Cards
	health   *site.Health
	bells    bells
	pictures *picture.Checker
	thumbs   *turn.Line // thumbnails that are being made
	room     uploadRoom
}

// New returns an App.
func New(c Config) *App {
	a := &App{
		Site:  site.New(c.Config),
		Quota: cmp.Or(c.Quota, usualQuota), Observe: c.Observe,
		pictures: picture.NewChecker(c.Fetch),
		thumbs:   turn.New(1), room: uploadRoom{byPerson: map[int64]Quota{}},
	}
	a.cards, a.health = site.NewCards(a.Site, a.finalPrices), site.NewHealth(a.Site, c.Writable)
	a.account, a.library = account.New(a.Site, c.Service, c.SetupToken), library.New(a.Site, a.cards, c.Service)
	return a
}

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
