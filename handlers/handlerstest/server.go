// Package handlerstest runs the whole app for tests: the real routes over a real
// database, with the sandbox as the video service, and HTTP clients for it.
package handlerstest

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers"
	"dailies/handlers/picture"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

const (
	SetupToken  = "open-sesame"
	Password    = "a long enough one"
	SandboxBase = "http://sandbox.invalid"
)

// A Server is the whole app: the real routes, a real database, and the sandbox as the
// video service.
type Server struct {
	*httptest.Server
	App      *handlers.App
	Config   handlers.Config
	Store    *store.Store
	Sandbox  *sandbox.Sandbox
	Registry *service.Registry
	// OnBalance, if set, is called whenever the sandbox is asked for a balance.
	OnBalance func()
	Wire      *Wire
	Watcher   *watch.Watcher
	Notifier  *watch.Notifier
	Log       *LogBook
	Database  string // path of the SQLite file or URL of the database server

	runs   *atomic.Bool // the watcher runs
	dir    string
	direct http.RoundTripper // how browsers reach an app without a socket; otherwise nil
}

// New starts an app without accounts.
func New(t testing.TB) *Server {
	t.Helper()
	return NewAt(t, t.TempDir())
}

// NewAt is like New, with the data folder dir.
func NewAt(t testing.TB, dir string) *Server {
	t.Helper()
	files, err := media.Open(dir + "/media")
	must(t, err)
	return NewOver(t, dir, files)
}

// NewOver is like NewAt, with another store for media.
func NewOver(t testing.TB, dir string, files *media.Store) *Server {
	t.Helper()
	return newServer(t, dir, files, dir+"/dailies.db")
}

// NewOn is like New, with the database at the address.
func NewOn(t testing.TB, address string) *Server {
	t.Helper()
	dir := t.TempDir()
	files, err := media.Open(dir + "/media")
	must(t, err)
	return newServer(t, dir, files, address)
}

// console is the sandbox's console. Something may happen whenever it is asked for a balance.
type console struct {
	*sandbox.Sandbox
	server *Server
}

// Balance implements service.Console.
func (c console) Balance(ctx context.Context, key string) (float64, error) {
	if c.server.OnBalance != nil {
		c.server.OnBalance()
	}
	return c.Sandbox.Balance(ctx, key)
}

func newServer(t testing.TB, dir string, files *media.Store, database string) *Server {
	t.Helper()
	h, handler := assemble(t.Context(), t, dir, files, database)
	h.Server = httptest.NewServer(handler)
	t.Cleanup(func() { Ends(t, "the server", h.Close) })
	return h
}

// assemble returns the app and its handler. The context is that of the database.
func assemble(ctx context.Context, t testing.TB, dir string, files *media.Store, database string) (*Server, http.Handler) {
	t.Helper()
	h := &Server{Log: &LogBook{}, Database: database, runs: new(atomic.Bool), dir: dir}
	log := slog.New(slog.NewTextHandler(h.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store := sampletest.OpenIn(ctx, t, h.Database)
	own := fetch.Trust{Base: picture.PictureBase(""), Transport: picture.OwnPictures{Pictures: store.Pictures, Media: files}}
	pictures, err := fetch.NewClient(true, own)
	must(t, err)
	catalog := videoapi.DefaultCatalog()
	h.Sandbox, err = sandbox.Open(t.Context(), sandbox.Config{
		Dir: dir + "/sandbox", Base: SandboxBase, Fetch: pictures, Catalog: catalog, Log: log, Shrink: 16, Longest: time.Second,
		Pace: sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Minute},
	})
	must(t, err)
	t.Cleanup(func() { Ends(t, "the sandbox", func() { h.Sandbox.Close() }) })
	vault, err := secrets.NewVault([]byte("a secret of the tests"))
	must(t, err)
	must(t, store.Links.SealShares(ctx, vault))
	must(t, store.Pictures.SealPictures(ctx, vault))
	cookies, err := web.NewCookies([]byte("a secret of the tests"), false)
	must(t, err)
	h.Wire = &Wire{RoundTripper: h.Sandbox, calls: map[string]int{}}
	copies, err := media.OpenCopies(dir+"/cache/linked", media.CopiesBytes)
	must(t, err)
	h.Store = store
	_, err = store.Services.Start(ctx, "", SandboxBase, db.Now())
	must(t, err)
	h.Registry, err = service.New(ctx, service.Config{Services: store.Services, Calls: watch.Calls(), Log: log,
		Reach: func(string) http.RoundTripper { return h.Wire }, Open: func(context.Context) (service.Practice, error) {
			return service.Practice{
				Console: console{h.Sandbox, h}, Transport: h.Wire, Run: h.Sandbox.Run, Close: func() error { return nil },
			}, nil
		}})
	must(t, err)
	results, err := fetch.NewClient(false, fetch.Trust{Base: SandboxBase, Transport: h.Sandbox})
	must(t, err)
	h.Watcher = watch.New(watch.Config{
		Store: store, Media: files, Services: h.Registry, Catalog: catalog, Vault: vault,
		Fetch: results, Poll: 10 * time.Millisecond, Log: log,
	})
	h.Notifier = watch.NewNotifier(store, vault, pictures, "", log)
	h.Config = handlers.Config{
		Config: site.Config{
			Store: store, Media: files, Copies: copies, Catalog: catalog, Vault: vault, Cookies: cookies,
			Registry: h.Registry, Log: log, Wake: h.Watcher.Wake, Sends: h.runs.Load,
		},
		Fetch: pictures, SetupToken: SetupToken,
	}
	h.App = handlers.New(h.Config)
	h.Watcher.Settled = h.App.Settled
	handler, err := h.App.Handler()
	must(t, err)
	return h, handler
}

// Run runs the watcher, the sandbox and the notifier until the test ends.
func (h *Server) Run(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	h.Watch(ctx, &running)
	running.Go(func() { _ = h.Sandbox.Run(ctx) })
	running.Go(func() { _ = h.Notifier.Run(ctx) })
	t.Cleanup(func() { stop(); Ends(t, "the work", running.Wait) })
}

// Watch runs the watcher alone until the context ends. Presses wait for answers meanwhile.
func (h *Server) Watch(ctx context.Context, running *sync.WaitGroup) {
	h.runs.Store(true)
	running.Go(func() {
		defer h.runs.Store(false)
		_ = h.Watcher.Run(ctx)
	})
}

// Stranger returns a browser that is not signed in. It does not follow redirects.
func (h *Server) Stranger(t testing.TB) *Browser {
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &Browser{t, h, &http.Client{Jar: jar, Transport: h.direct, Timeout: 2 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}}
}

// Founder makes the first account, and returns a browser that is signed in to it.
func (h *Server) Founder(t testing.TB) *Browser {
	t.Helper()
	p := h.Stranger(t)
	p.Post("/setup?token="+SetupToken, url.Values{
		"name": {"Kim Doe"}, "email": {"kim@example.com"}, "password": {Password},
	}).Is(303).LeadsTo("/")
	return p
}

// Joiner makes another account with a join link from the founder, and returns a browser
// that is signed in to it.
func (h *Server) Joiner(t testing.TB, founder *Browser, name string) *Browser {
	t.Helper()
	founder.Post("/members/invites", nil).Is(303)
	link := regexp.MustCompile(`/join/[A-Z0-9]+`).FindString(founder.Get("/members").Is(200).Text)
	p := h.Stranger(t)
	p.Post(link, url.Values{"name": {name}, "email": {name + "@example.com"}, "password": {Password}}).Is(303)
	return p
}

// Ask sends a GET request without cookies, and returns the status and the body.
func (h *Server) Ask(t *testing.T, path string) (int, string) {
	t.Helper()
	resp, err := http.Get(h.URL + path)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(text)
}

// OverHTTPS returns the same app, served over HTTPS.
func (h *Server) OverHTTPS(t testing.TB) *Server {
	t.Helper()
	cookies, err := web.NewCookies([]byte("a secret of the tests"), true)
	must(t, err)
	return h.started(t, httptest.NewTLSServer, func(c *handlers.Config) {
		c.PublicURL, c.Cookies = "https://dailies.example.com", cookies
	})
}

// With returns the same app, started with changed settings.
func (h *Server) With(t testing.TB, change func(*handlers.Config)) *Server {
	t.Helper()
	return h.started(t, httptest.NewServer, change)
}

// Beside returns another process of the same app: it shares the database, the files and
// the service with h, but nothing in memory.
func (h *Server) Beside(t testing.TB) *Server {
	t.Helper()
	files, err := media.Open(h.dir + "/media")
	must(t, err)
	beside := h.With(t, func(c *handlers.Config) { c.Store, c.Media = sampletest.Open(t, h.Database), files })
	beside.Store = beside.Config.Store
	return beside
}

// At returns the browser, pointed at another server of the same app.
func (p *Browser) At(t testing.TB, h *Server) *Browser { return &Browser{t, h, p.Client} }

// started returns the same app with changed settings, on an HTTP server of its own.
func (h *Server) started(t testing.TB, serve func(http.Handler) *httptest.Server, change func(*handlers.Config)) *Server {
	t.Helper()
	other := *h
	change(&other.Config)
	other.App = handlers.New(other.Config)
	handler, err := other.App.Handler()
	must(t, err)
	other.Server = serve(handler)
	t.Cleanup(other.Server.Close)
	return &other
}

// RefuseWrites makes the database refuse changes such as "INSERT ON attempts", as on a
// full disk, until mend is called.
func (h *Server) RefuseWrites(t *testing.T, changes ...string) (mend func()) {
	t.Helper()
	d := raw(t, h.Database)
	for i, change := range changes {
		_, err := d.Exec(fmt.Sprintf(
			`CREATE TRIGGER full%d BEFORE %s BEGIN SELECT raise(FAIL, 'database or disk is full'); END`, i, change,
		))
		must(t, err)
	}
	return func() {
		for i := range changes {
			_, err := d.Exec(fmt.Sprintf(`DROP TRIGGER full%d`, i))
			must(t, err)
		}
	}
}

// raw opens the database file beside the program.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}
