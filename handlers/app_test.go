package handlers_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/handlers"
	"dailies/handlers/create"
	"dailies/handlers/site"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

const (
	setupToken = "open-sesame"
	password   = "a long enough one"
	base       = "http://sandbox.invalid"
)

// house is a whole Dailies: the real routes, a real database, and the sandbox
// as the service.
type house struct {
	*httptest.Server
	app     *handlers.App
	config  handlers.Config
	store   *store.Store
	box     *sandbox.Sandbox
	wire    *wire
	watcher *watch.Watcher
	notices *watch.Notifier
	log     *logBook
	path    string // of the database
}

// wire carries the calls to the service, and counts them.
type wire struct {
	http.RoundTripper
	mu    sync.Mutex
	calls map[string]int
	// instead answers in the service's place, if it is set and returns
	// something.
	instead func(r *http.Request) (*http.Response, error)
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.calls[r.URL.Path]++
	instead := w.instead
	w.mu.Unlock()
	if instead != nil {
		if resp, err := instead(r); resp != nil || err != nil {
			return resp, err
		}
	}
	return w.RoundTripper.RoundTrip(r)
}

func (w *wire) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[path]
}

func (w *wire) divert(f func(r *http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead = f
}

// logBook keeps what was logged, so that a test can look for secrets.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// alone skips a long test in a short run, which is the race detector's: it asks
// one thing after the other, so nothing in it can race.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long, and asks one thing after the other")
	}
}

// newHouse opens a Dailies without an account.
func newHouse(t testing.TB) *house {
	t.Helper()
	return newHouseAt(t, t.TempDir())
}

func newHouseAt(t testing.TB, dir string) *house {
	t.Helper()
	ctx := t.Context()
	h := &house{log: &logBook{}, path: dir + "/dailies.db"}
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store, err := store.Open(ctx, h.path)
	must(t, err)
	t.Cleanup(func() { store.Close() })
	files, err := media.Open(dir + "/media")
	must(t, err)
	own := fetch.Trust{Base: create.PictureBase(""), Transport: create.OwnPictures{Store: store, Media: files}}
	pictures, err := fetch.NewClient(true, own)
	must(t, err)
	catalog := videoapi.DefaultCatalog()
	h.box, err = sandbox.Open(ctx, sandbox.Config{
		Dir: dir + "/sandbox", Base: base, Fetch: pictures, Catalog: catalog, Log: log, Shrink: 16, Longest: time.Second,
		Pace: sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Minute},
	})
	must(t, err)
	t.Cleanup(func() { h.box.Close() })
	vault, err := db.NewVault([]byte("a secret of the tests"))
	must(t, err)
	must(t, store.SealShares(ctx, vault))
	must(t, store.SealPictures(ctx, vault))
	cookies, err := web.NewCookies([]byte("a secret of the tests"), false)
	must(t, err)
	h.wire = &wire{RoundTripper: h.box, calls: map[string]int{}}
	results, err := fetch.NewClient(false, fetch.Trust{Base: base, Transport: h.box})
	must(t, err)
	h.store = store
	client := videoapi.NewClient(base, &http.Client{Transport: h.wire})
	h.watcher = watch.New(watch.Config{
		Store: store, Media: files, Service: client, Catalog: catalog, Vault: vault,
		Fetch: results, Poll: 10 * time.Millisecond, Log: log,
	})
	h.notices = watch.NewNotifier(store, vault, pictures, "", log)
	h.config = handlers.Config{
		Config: site.Config{
			Store: store, Media: files, Catalog: catalog, Vault: vault, Cookies: cookies,
			Sandbox: h.box, Log: log, Wake: h.watcher.Wake,
		},
		Service: client, Fetch: pictures, SetupToken: setupToken,
	}
	h.app = handlers.New(h.config)
	h.watcher.Settled = h.app.Settled
	handler, err := h.app.Handler()
	must(t, err)
	h.Server = httptest.NewServer(handler)
	t.Cleanup(h.Close)
	return h
}

// work lets the watcher and the sandbox run until the test ends.
func (h *house) work(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = h.watcher.Run(ctx) })
	running.Go(func() { _ = h.box.Run(ctx) })
	running.Go(func() { _ = h.notices.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
}

// person is a browser of somebody.
type person struct {
	t testing.TB
	h *house
	*http.Client
}

// stranger is a browser that is not signed in. It does not follow redirects.
func (h *house) stranger(t testing.TB) *person {
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &person{t, h, &http.Client{Jar: jar, Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// founder makes the first account.
func (h *house) founder(t testing.TB) *person {
	t.Helper()
	p := h.stranger(t)
	p.post("/setup?token="+setupToken, url.Values{"name": {"Kim Doe"}, "email": {"kim@example.com"}, "password": {password}}).is(303).leadsTo("/")
	return p
}

// joiner makes another account with a join link of the founder's.
func (h *house) joiner(t testing.TB, founder *person, name string) *person {
	t.Helper()
	founder.post("/members/invites", nil).is(303)
	link := regexp.MustCompile(`/join/[A-Z0-9]+`).FindString(founder.get("/members").is(200).body)
	p := h.stranger(t)
	p.post(link, url.Values{"name": {name}, "email": {name + "@example.com"}, "password": {password}}).is(303)
	return p
}

// answer is what came back, read whole.
type answer struct {
	t    testing.TB
	what string
	*http.Response
	body string
}

func (p *person) do(method, path string, form url.Values, headers ...string) *answer {
	p.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.h.URL+path, body)
	must(p.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := p.Do(r)
	must(p.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(p.t, err)
	return &answer{p.t, method + " " + path, resp, string(b)}
}

func (p *person) get(path string, headers ...string) *answer {
	p.t.Helper()
	return p.do(http.MethodGet, path, nil, headers...)
}

func (p *person) post(path string, form url.Values, headers ...string) *answer {
	p.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	return p.do(http.MethodPost, path, form, headers...)
}

func (a *answer) is(status int) *answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: got %d, want %d\n%.2000s", a.what, a.StatusCode, status, a.body)
	}
	return a
}

func (a *answer) leadsTo(path string) *answer {
	a.t.Helper()
	if got := a.Header.Get("Location"); got != path {
		a.t.Fatalf("%s: leads to %q, want %q", a.what, got, path)
	}
	return a
}

func (a *answer) shows(texts ...string) *answer {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("%s: does not show %q\n%.3000s", a.what, text, a.body)
		}
	}
	return a
}

func (a *answer) hides(texts ...string) *answer {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			a.t.Errorf("%s: shows %q", a.what, text)
		}
	}
	return a
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("not within 30 s: %s", what)
		case <-tick.C:
		}
	}
}

// reaches waits until the task is in the state.
func (h *house) reaches(t testing.TB, id int64, s db.State) db.Task {
	t.Helper()
	var task db.Task
	eventually(t, "video is "+string(s), func() bool {
		var err error
		task, err = h.store.Task(t.Context(), id)
		must(t, err)
		return task.State == s
	})
	return task
}

// gallery of pictures that scenes can use.
func pictures(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 36))
		for i := range 64 {
			img.Set(i, i%36, color.White)
		}
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, img)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// queue adds the task and reads it back into task.
func queue(t testing.TB, s *store.Store, task *db.Task) {
	t.Helper()
	added, err := s.AddTasks(t.Context(), []db.Task{*task})
	must(t, err)
	*task = added[0]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
