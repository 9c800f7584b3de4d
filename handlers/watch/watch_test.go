package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// only is the one service that there is.
type only struct{ service *videoapi.Client }

// Client implements watch.Services.
func (o only) Client(context.Context, int64) (*videoapi.Client, error) { return o.service, nil }

const (
	base   = "http://sandbox.invalid"
	create = "/api/ai/generate"
	ask    = "/api/ai/query"
)

// line is the transport to the sandbox; tests can add faults to it.
type line struct {
	*sandbox.Sandbox
	mu     sync.Mutex
	calls  map[string]int
	faults map[string][]fault // by path; each is used once, in order
	always fault              // used when faults has none for the path; may be nil
}

// A fault answers instead of the service; nil lets the call through.
type fault func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error)

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	path := r.URL.Path
	if strings.HasPrefix(path, "/files/") {
		path = "/files/"
	}
	l.calls[path]++
	var f fault
	if waiting := l.faults[path]; len(waiting) > 0 {
		f, l.faults[path] = waiting[0], waiting[1:]
	} else {
		f = l.always
	}
	l.mu.Unlock()
	through := func() (*http.Response, error) { return l.Sandbox.RoundTrip(r) }
	if f == nil {
		return through()
	}
	return f(r, through)
}

func (l *line) setAlways(f fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.always = f
}

func (l *line) count(path string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[path]
}

// says returns a fault that answers with this status and body.
func says(status int, body string, headers ...string) fault {
	return func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	}
}

var errReset = errors.New("connection reset by peer")

func reset(*http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return nil, errReset
}

// lost lets the call through, but loses the answer.
func lost(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	resp, err := through()
	if err == nil {
		resp.Body.Close()
	}
	return nil, errReset
}

// busyAllTheSame lets the call through, but gives its answer the status of a service
// that has done nothing.
func busyAllTheSame(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	resp, err := through()
	if err == nil {
		resp.StatusCode = http.StatusTooManyRequests
	}
	return resp, err
}

// gaveUp lets the call through, but answers as a gateway that has not waited for it.
func gaveUp(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	if resp, err := through(); err == nil {
		resp.Body.Close()
	}
	return says(504, `{"code":504,"message":"Gateway Timeout"}`)(r, through)
}

// bench is a watcher's surroundings, with one user who has a key.
type bench struct {
	store *store.Store
	line  *line
	key   string
	box   *sandbox.Sandbox
	vault *secrets.Vault
	dir   string
	wake  func() // wakes the watcher that was started last
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	return newBenchIn(t, dir, sampletest.Open(t, dir+"/dailies.db"), t.Context())
}

// newBenchIn is like newBench, with a data folder, a store, and a context for the database
// of the sandbox.
func newBenchIn(t *testing.T, dir string, store *store.Store, ofBox context.Context) *bench {
	t.Helper()
	ctx := t.Context()
	pictures, err := fetch.NewClient(true, fetch.Trust{})
	must(t, err)
	box, err := sandbox.Open(ofBox, sandbox.Config{Dir: dir + "/sandbox", Base: base, Fetch: pictures, Shrink: 16, Longest: time.Second,
		Pace: sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Millisecond}})
	must(t, err)
	t.Cleanup(func() { box.Close() })
	vault, err := secrets.NewVault([]byte("tests"))
	must(t, err)
	b := &bench{store: store, box: box, vault: vault, dir: dir, wake: func() {}, line: &line{Sandbox: box, calls: map[string]int{}, faults: map[string][]fault{}}}
	must(t, sampletest.AddUser(t, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	b.key, err = box.NewKey(ctx, "kim", 1000)
	must(t, err)
	b.giveKey(t, b.key)
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = box.Run(running) })
	t.Cleanup(func() { stop(); work.Wait() })
	return b
}

func (b *bench) giveKey(t *testing.T, key string) {
	t.Helper()
	must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{UserID: 1, Sealed: b.vault.Seal(1, key), Fingerprint: b.vault.Fingerprint(key), CreatedAt: db.Now()}))
}

// start runs a watcher with the changed settings; the returned function stops it.
func (b *bench) start(t *testing.T, changes ...func(*watch.Config)) (stop func()) {
	t.Helper()
	files, err := media.Open(b.dir + "/media")
	must(t, err)
	results, err := fetch.NewClient(false, fetch.Trust{Base: base, Transport: b.line})
	must(t, err)
	c := watch.Config{
		Store: b.store, Media: files, Services: only{videoapi.NewClient(base, &http.Client{Transport: b.line})},
		Catalog: videoapi.DefaultCatalog(), Vault: b.vault, Fetch: results, Poll: 10 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Aside: b.dir + "/answers",
	}
	for _, change := range changes {
		change(&c)
	}
	w := watch.New(c)
	b.wake = w.Wake
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

func (b *bench) add(t *testing.T, prompt string) int64 {
	t.Helper()
	return b.addFor(t, 1, prompt)
}

func (b *bench) addFor(t *testing.T, userID int64, prompt string) int64 {
	t.Helper()
	id := b.addDue(t, userID, prompt, db.Now())
	b.wake() // as the app does
	return id
}

// addDue adds a task that is to be sent at the given time.
func (b *bench) addDue(t *testing.T, userID int64, prompt string, at time.Time) int64 {
	t.Helper()
	yes := true
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: prompt,
			Options: db.Options{Duration: 4, Resolution: "480p", AspectRatio: "16:9", Audio: &yes}}, CreatedAt: db.Now(), NextAt: at,
	}
	queue(t, b.store, &task)
	return task.ID
}

// until waits until fits returns true for the task.
func (b *bench) until(t *testing.T, id int64, what string, fits func(db.Task) bool) db.Task {
	t.Helper()
	deadline, tick := time.NewTimer(time.Minute), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		task, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		if fits(task) {
			return task
		}
		select {
		case <-deadline.C:
			t.Fatalf("not within a minute: %s; it is %+v", what, task)
		case <-tick.C:
		}
	}
}

func kept(t db.Task) bool { return t.Keeping == db.Kept }

func in(s db.State) func(db.Task) bool { return func(t db.Task) bool { return t.State == s } }

// queue adds the task to the store and updates it with the stored values.
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

const html = "<html><body>Bad Gateway</body></html>"

func TestCreateUnderFaults(t *testing.T) {
	b := newBench(t)
	b.start(t)
	for name, tt := range map[string]struct {
		fault fault
		want  db.State
		calls int // number of create calls
		paid  bool
	}{
		"all is well":              {nil, db.Success, 1, true},
		"reset before":             {reset, db.Unconfirmed, 1, false},
		"reset after it was taken": {lost, db.Unconfirmed, 1, true},
		"a gateway's page":         {says(502, html), db.Unconfirmed, 1, false},
		"500 without JSON":         {says(500, "oops"), db.Unconfirmed, 1, false},
		"cut JSON":                 {says(200, `{"code":0,"data":{"id":"x"`), db.Unconfirmed, 1, false},
		"64 MB of junk":            {says(200, strings.Repeat("x", 64<<20)), db.Unconfirmed, 1, false},
		"no id":                    {says(200, `{"code":0,"message":"ok","data":{"status":"pending"}}`), db.Unconfirmed, 1, false},
		"refused":                  {says(200, `{"code":-1,"message":"invalid params"}`), db.Rejected, 1, false},
		"refused with 500":         {says(500, `{"code":-1,"message":"generate video failed"}`), db.Rejected, 1, false},
		"taken with status 429":    {busyAllTheSame, db.Success, 1, true},
		"a gateway that gave up":   {gaveUp, db.Unconfirmed, 1, true},
		"busy, then well":          {says(429, html, "Retry-After", "0"), db.Success, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			before, balance := b.line.count(create), b.balance(t)
			b.line.mu.Lock()
			b.line.faults[create] = []fault{tt.fault}
			b.line.mu.Unlock()
			id := b.add(t, "a boat")
			task := b.until(t, id, string(tt.want), in(tt.want))
			if calls := b.line.count(create) - before; calls != tt.calls {
				t.Errorf("%d creates, want %d", calls, tt.calls)
			}
			if paid := b.balance(t) < balance; paid != tt.paid {
				t.Errorf("paid %v, want %v", paid, tt.paid)
			}
			if tt.want != db.Success && task.Message == "" {
				t.Error("nobody is told why")
			}
		})
	}
}

func (b *bench) balance(t *testing.T) float64 {
	t.Helper()
	credits, err := b.box.Balance(t.Context(), b.key)
	must(t, err)
	return credits
}

func TestQuestionsUnderFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		// An unknown status is still an answer, so it resets the backoff.
		unknown := says(200, `{"code":0,"data":{"status":"moderation"}}`)
		for _, f := range []fault{
			reset, says(502, html), says(500, ""), says(429, html), says(200, "{"), says(200, strings.Repeat("[", 100_000)),
			says(200, `{"code":-1,"message":"fetch failed"}`), says(200, `{"code":-1,"message":"recordInfo is null"}`),
			says(200, `{"code":-1,"message":"task not found"}`), says(200, `{"code":-1,"message":"no permission"}`), says(401, html),
		} {
			b.line.faults[ask] = append(b.line.faults[ask], f, f, unknown)
		}
		defer b.start(t)()
		id := b.add(t, "a boat")
		task := b.until(t, id, "kept", kept)
		if task.State != db.Success || task.Message != "" || task.Attempts != 0 {
			t.Errorf("got %+v", task)
		}
		if n := b.line.count(create); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
}

func TestABusyServiceIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		busy := says(429, html, "Retry-After", "20")
		b.line.faults[create], b.line.faults[ask] = []fault{busy}, []fault{busy}
		defer b.start(t)()
		id := b.add(t, "a boat")
		for _, state := range []db.State{db.Queued, db.Pending} {
			task := b.until(t, id, "put off", func(t db.Task) bool { return t.State == state && t.Attempts == 1 })
			if wait := time.Until(task.NextAt); wait < 18*time.Second || wait > 30*time.Second {
				t.Errorf("%s: it is asked again after %v", state, wait)
			}
		}
		b.until(t, id, "kept", kept)
	})
}

func TestKeyThatWorksAgainFinishesTheVideo(t *testing.T) {
	b := newBench(t)
	b.start(t)
	id := b.add(t, "a boat #slow")
	b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
	must(t, b.store.Keys.DeleteKey(t.Context(), 1))
	if task, err := b.store.Tasks.Task(t.Context(), id); err != nil || !task.State.Running() && task.State != db.Success {
		t.Fatalf("got %+v, %v", task, err)
	}
	b.giveKey(t, b.key)
	_, err := b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.NextAt = db.Now(); return nil })
	if err != nil && !errors.Is(err, db.ErrConflict) {
		t.Fatal(err)
	}
	b.until(t, id, "kept", kept)
}

func TestCopiesAreTriedUntilTheyAreHere(t *testing.T) {
	b := newBench(t)
	cut := func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		resp, err := through()
		if err == nil {
			resp.Body = io.NopCloser(io.LimitReader(resp.Body, 700))
		}
		return resp, err
	}
	// The first two rounds fetch a video and a cover each.
	b.line.faults["/files/"] = []fault{reset, reset, says(200, html), nil, cut, says(403, ""), says(500, "")}
	b.start(t)
	task := b.until(t, b.add(t, "a boat"), "kept", kept)
	video, ok := task.Video()
	if !ok || video.Type != "video/webm" || len(video.Hash) != 64 || video.Size < 1000 {
		t.Errorf("kept %+v", task.Media)
	}
}

func TestRestartsLoseNothing(t *testing.T) {
	b := newBench(t)
	var ids []int64
	for i := range 6 {
		ids = append(ids, b.add(t, fmt.Sprintf("boat %d", i)))
	}
	for range 12 {
		stop := b.start(t)
		time.AfterFunc(20*time.Millisecond, stop)
		b.until(t, ids[0], "anything", func(db.Task) bool { return true })
		stop()
	}
	b.start(t)
	for _, id := range ids {
		b.until(t, id, "kept", kept)
	}
	if n := b.line.count(create); n != len(ids) {
		t.Errorf("%d creates for %d videos", n, len(ids))
	}
}

func TestCutOffSendIsAskedAboutAndNotRepeated(t *testing.T) {
	b := newBench(t)
	id := b.add(t, "a boat")
	_, err := b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { return t.Begin(db.Now()) })
	must(t, err)
	b.start(t)
	other := b.add(t, "another boat")
	b.until(t, other, "kept", kept)
	if task := b.until(t, id, "unconfirmed", in(db.Unconfirmed)); !task.NextAt.IsZero() {
		t.Error("it would be sent again")
	}
	if n := b.line.count(create); n != 1 {
		t.Errorf("%d creates", n)
	}
}

func TestCreatesGoOutOneAfterAnotherPerKey(t *testing.T) {
	b := newBench(t)
	var mu sync.Mutex
	now, most := 0, 0
	slow := func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		resp, err := through()
		mu.Lock()
		now--
		mu.Unlock()
		return resp, err
	}
	var ids []int64
	for i := range 8 {
		b.line.faults[create] = append(b.line.faults[create], slow)
		ids = append(ids, b.add(t, fmt.Sprintf("boat %d", i)))
	}
	b.start(t)
	var last time.Time
	for _, id := range ids {
		task := b.until(t, id, "accepted", func(t db.Task) bool { return !t.AcceptedAt.IsZero() })
		if task.SentAt.Before(last) {
			t.Errorf("video %d went out before an older one", id)
		}
		last = task.SentAt
	}
	if most != 1 {
		t.Errorf("%d at once", most)
	}
}
