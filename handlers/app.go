// Package handlers is what Dailies does when somebody asks: one route table,
// and one file for each noun.
package handlers

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/throttle"
	"dailies/web/turn"
	"dailies/web/videoapi"
)

// A Sandbox is the embedded service, seen from its own console: what the app
// may do there beyond API.md.
type Sandbox interface {
	// NewKey makes an account with credits and returns its API key.
	NewKey(ctx context.Context, name string, credits float64) (string, error)
	// AddKey makes another API key for the account of the key.
	AddKey(ctx context.Context, key, name string) (string, error)
	TopUp(ctx context.Context, key string, credits float64) error
	Balance(ctx context.Context, key string) (float64, error)
	// Keys and Ledger are all keys of the key's account and the changes of its
	// balance, newest first.
	Keys(ctx context.Context, key string) ([]videoapi.Key, error)
	Ledger(ctx context.Context, key string) ([]videoapi.Entry, error)
}

// Config is what an App works with.
type Config struct {
	Store   *store.Store
	Media   *media.Store
	Service *videoapi.Client
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Cookies *web.Cookies
	Sandbox Sandbox // nil with a real service
	Log     *slog.Logger
	Fetch   *http.Client // guarded, and trusts no host; looks at the pictures that people link to

	SetupToken string // opens /setup while there is no account
	Dev        bool   // shows the pages for those who work on the app
	PublicURL  string // how others reach the app, without a slash at the end
	// Proxies are the reverse proxies whose word about addresses is believed.
	Proxies throttle.Proxies
	// Space measures the room for files; nil where nobody needs to know.
	Space   func(context.Context) (db.Space, error)
	Quota   Quota        // of uploaded pictures; the zero value is the usual one
	Wake    func()       // tells the watcher that something waits
	Observe web.Observer // counts requests; may be nil
	// Writable checks that the data folder takes what is written to it; nil
	// where only the database counts.
	Writable func(context.Context) error
}

// An App answers every request.
type App struct {
	Config
	bells    bells
	tries    *throttle.Throttle // of passwords and links
	notices  notices
	writes   readiness
	pictures *picture.Checker
	senders  *turn.Line // those who send files
	judges   *turn.Line // pictures that are in memory
	thumbs   *turn.Line // thumbnails that are being made
	room     uploadRoom
	posters  sync.Mutex // held while a card's picture is kept
	asking   sync.Map   // the service's ids that a form asks about, while it does
	// settled is set once the first account exists; it saves a query a request.
	settled atomic.Bool
	// unproxied is done once a proxy that nobody named was warned about.
	unproxied sync.Once
}

// New returns an App.
func New(c Config) *App {
	c.Quota = cmp.Or(c.Quota, usualQuota)
	return &App{
		Config: c, tries: newThrottle(),
		pictures: picture.NewChecker(c.Fetch),
		senders:  turn.New(maxSenders), judges: turn.New(maxJudged), thumbs: turn.New(1), room: uploadRoom{byPerson: map[int64]Quota{}},
	}
}

// maxForm bounds the body of a request: far above any honest form.
const maxForm = 1 << 20

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
		web.Recover(a.fail),
		web.Headers,
		web.HTTPSOnly(strings.HasPrefix(a.PublicURL, "https:")),
		web.Except(rawFiles, compress),
		web.SameOrigin(a.fail),
		web.MaxBody(maxForm),
	), nil
}

// frame gathers what every page needs. It takes the flash, so it is called
// only when a page is about to be drawn.
func (a *App) frame(w http.ResponseWriter, r *http.Request, title string) (part.Frame, error) {
	f := part.Frame{Title: title, Path: r.URL.Path, Sandbox: a.Sandbox != nil, Now: db.Now()}
	v, ok := viewerOf(r)
	if !ok {
		return f, nil
	}
	f.Viewer, f.Notice = &v.user, a.spaceNotice(r.Context(), v.user)
	var err error
	if f.Running, err = a.Store.Running(r.Context(), v.user.ID); err != nil {
		return f, err
	}
	if f.Flash, err = a.Cookies.Take(w, r, "flash"); err != nil {
		return f, err
	}
	if f.Sent, err = a.Cookies.Take(w, r, "sent"); err != nil {
		return f, err
	}
	typed, err := a.typed(r)
	if err != nil {
		return f, err
	}
	f.Answer, f.Back = r.Method == http.MethodPost, typed != nil
	f.Undo, err = a.takeUndo(w, r)
	return f, err
}

// fail draws the page for an error, and logs what is our fault.
func (a *App) fail(w http.ResponseWriter, r *http.Request, e *web.Error) {
	id := web.RequestID(r.Context())
	if e.Status >= http.StatusInternalServerError {
		a.Log.Error("a request failed", "id", id, "method", r.Method, "route", r.Pattern, "err", e.Err)
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		// A part that could not be had leaves the page as it is.
		w.Header().Set("HX-Reswap", "none")
		http.Error(w, e.Message, e.Status)
		return
	}
	// What else is wrong must not keep the page from being drawn.
	f := part.Frame{Title: "Sorry", Path: r.URL.Path, Sandbox: a.Sandbox != nil, Now: db.Now()}
	if v, err := a.viewer(r); err == nil {
		f.Viewer = &v.user
		f.Running, _ = a.Store.Running(r.Context(), v.user.ID)
	}
	page := part.ShowError(f, part.ErrorPage{Status: e.Status, Message: e.Message, ID: id})
	if err := web.Fragment(w, r, e.Status, page); err != nil {
		http.Error(w, e.Message, e.Status)
	}
}
