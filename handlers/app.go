// Package handlers puts the app together: the rooms, whose rows of routes it joins, and
// the middleware around them.
package handlers

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/handlers/account"
	"dailies/handlers/api"
	"dailies/handlers/cast"
	"dailies/handlers/create"
	"dailies/handlers/form"
	"dailies/handlers/gallery"
	"dailies/handlers/money"
	"dailies/handlers/press"
	"dailies/handlers/program"
	"dailies/handlers/recipe"
	"dailies/handlers/room"
	"dailies/handlers/share"
	"dailies/handlers/signin"
	"dailies/handlers/site"
	"dailies/handlers/story"
	"dailies/handlers/team"
	"dailies/handlers/video"
	"dailies/handlers/wall"
	"dailies/web"
	"dailies/web/openid"
)

// Config holds an App's dependencies and settings.
type Config struct {
	site.Config
	Fetch      *http.Client     // refuses private addresses and trusts no host; fetches pictures that users link to
	SetupToken string           // opens /setup while there is no account
	Provider   *openid.Provider // the OpenID Connect provider for signing in; nil if there is none
	Quota      ordering.Quota   // of uploaded pictures; the zero value means the default
	Stopping   <-chan struct{}  // closed when the program stops; nil for never
	Observe    web.Observer     // counts requests; may be nil
	// Storybook is the page that shows every component in every state, at /dev/storybook if
	// Dev is set; nil if the program is built without it.
	Storybook templ.Component
	// Writable checks that the data folder can be written; nil if only the database
	// matters.
	Writable func(context.Context) error
}

// An App serves the pages and files of the web app.
type App struct {
	site    *site.Site
	observe web.Observer
	press   *press.Press
	health  *site.Health

	rooms     []site.Room
	storybook templ.Component
}

// New returns an App.
func New(c Config) *App {
	s := site.New(c.Config)
	programs := program.New(s)
	signIn := signin.New(s, c.SetupToken, c.Provider)
	cards := site.NewCards(s, press.NewPrices(s).Finals)
	making := form.New(s, cards, c.Fetch, c.Quota)
	lists, links := wall.New(s, cards), share.New(s)
	videos := video.New(s, cards, lists, links)
	a := &App{
		site: s, observe: c.Observe, storybook: c.Storybook, health: site.NewHealth(s, c.Writable),
		press: making.Press,
	}
	a.rooms = []site.Room{
		account.New(s, programs.FillSettings, signIn.FillSettings),
		api.New(s, making, c.Stopping),
		cast.New(s, making, lists),
		create.New(s, making, videos.RefuseNext),
		gallery.New(s, cards, lists, links),
		money.New(s),
		programs,
		recipe.New(s, cards, making),
		room.New(s),
		signIn,
		story.New(s, cards, lists, links),
		team.New(s, c.Provider),
		videos,
	}
	return a
}

// Settled tells the app that the watcher has taken a step of the task. It never
// blocks.
func (a *App) Settled(t db.Task) { a.press.Settled(t) }

// Answered tells the app that another process has recorded the outcome of the task's
// create call.
func (a *App) Answered(ctx context.Context, id int64) { a.press.Answered(ctx, id) }

// rawFiles matches the paths of files that are already compressed.
var rawFiles = regexp.MustCompile(`^/(media/|p/|pictures/linked|share/[^/]*/media/|api/v1/videos/[^/]*/file$|api/ai/files/)`).MatchString

// Handler returns the whole app: the route table behind the ordered middleware.
func (a *App) Handler() (http.Handler, error) {
	compress, err := web.Compress()
	if err != nil {
		return nil, err
	}
	return web.Chain(a.mux(),
		web.Log(a.site.Log, a.site.Network.Address),
		web.Observe(a.observe),
		web.Recover(a.site.Failures.Show),
		web.Headers,
		web.HTTPSOnly(strings.HasPrefix(a.site.PublicURL, "https:")),
		web.Except(rawFiles, compress),
		web.SameOrigin(a.site.Failures.Show),
		web.MaxBody(site.MaxForm),
	), nil
}
