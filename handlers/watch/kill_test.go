package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/web/fetch"
	"dailies/web/scopetest"
	"dailies/web/videoapi/sandbox"
)

// kills is the number of kills with DAILIES_LONG=1; otherwise there are a tenth as many.
const kills = 200

// TestKillsLoseNothing kills and restarts the real program at random moments while
// videos are submitted, queried and kept. Afterwards every video whose submission was
// confirmed is there, none was sent twice, and every video that the service made and
// confirmed is kept.
func TestKillsLoseNothing(t *testing.T) {
	t.Parallel() // it mostly waits
	times := kills
	if !scopetest.Long() {
		times /= 10
	}
	s := newService(t, time.Millisecond, nil)
	p := &program{path: buildProgram(t), dir: t.TempDir(), api: s.URL}
	p.start(t)
	p.signUp(t, s.key)
	told := map[string]bool{}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DAILIES_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	t.Logf("DAILIES_SEED=%d dies at the same moments", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range times {
		victim := p.process.Process
		kill := func() *time.Timer {
			return time.AfterFunc(time.Duration(random.IntN(120))*time.Millisecond, func() { _ = victim.Kill() })
		}
		var die *time.Timer
		if i%2 == 0 { // kill at any moment, even during the start
			die = kill()
		}
		for n := 0; ; n++ {
			prompt := fmt.Sprintf("boat %d of life %d", n, i)
			if !p.submit(prompt) {
				break // the program is dead
			}
			told[prompt] = true
			if die == nil { // kill only after a response, however slow the machine is
				die = kill()
			}
		}
		if die != nil {
			die.Stop()
		}
		p.kill()
		p.start(t)
	}
	tasks := p.finish(t)
	s.judge(t, told, tasks)
}

// service is the sandbox on a real port, and counts the creates.
type service struct {
	*httptest.Server
	box *sandbox.Sandbox
	key string
	mu  sync.Mutex
	got map[string]int // creates by prompt
}

// newService starts a sandbox that waits for that long before it makes a video. Calls
// go through pass, unless that is nil.
func newService(t *testing.T, wait time.Duration, pass func(http.ResponseWriter, *http.Request, http.Handler)) *service {
	t.Helper()
	return newServiceIn(t, t.TempDir(), wait, pass)
}

// newServiceIn is newService with a folder for the sandbox's data.
func newServiceIn(t *testing.T, dir string, wait time.Duration, pass func(http.ResponseWriter, *http.Request, http.Handler)) *service {
	t.Helper()
	s := &service{got: map[string]int{}}
	none, err := fetch.NewClient(false, fetch.Trust{})
	must(t, err)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		if pass != nil {
			pass(w, r, s.box)
			return
		}
		s.box.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	s.box, err = sandbox.Open(t.Context(), sandbox.Config{Dir: dir, Base: s.URL, Fetch: none, Shrink: 16, Longest: time.Second,
		Pace: sandbox.Pace{Start: wait, Moment: time.Millisecond, Slow: time.Millisecond}})
	must(t, err)
	t.Cleanup(func() { s.box.Close() })
	s.key, err = s.box.NewKey(t.Context(), "kim", 1_000_000)
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = s.box.Run(ctx) })
	t.Cleanup(func() { stop(); work.Wait() })
	return s
}

// note counts a create by its prompt.
func (s *service) note(r *http.Request) {
	if r.URL.Path != create {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct{ Prompt string }
	if json.Unmarshal(body, &asked) == nil {
		s.mu.Lock()
		s.got[asked.Prompt]++
		s.mu.Unlock()
	}
}

func (s *service) judge(t *testing.T, told map[string]bool, tasks []db.Task) {
	t.Helper()
	rows, unconfirmed, kept, notKept := map[string]bool{}, 0, 0, 0
	for _, task := range tasks {
		rows[task.Prompt] = true
		switch {
		case task.State == db.Unconfirmed:
			unconfirmed++
		case task.Keeping == db.Kept:
			kept++
		default:
			notKept++
			t.Errorf("%q is %s, %q", task.Prompt, task.State, task.Keeping)
		}
	}
	lost, twice := 0, 0
	for prompt := range told {
		if !rows[prompt] {
			lost++
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for prompt, n := range s.got {
		if n > 1 {
			twice++
			t.Errorf("%q was sent %d times", prompt, n)
		}
	}
	t.Logf("%d told, %d rows: %d kept, %d unconfirmed; rows lost %d, creates sent twice %d, videos not kept %d",
		len(told), len(rows), kept, unconfirmed, lost, twice, notKept)
	if lost > 0 || len(told) == 0 || kept == 0 {
		t.Errorf("of %d videos that a person was told of, %d are gone", len(told), lost)
	}
}

// program is a process of the real program, which can be killed.
type program struct {
	path, dir, api string
	base           string
	process        *exec.Cmd
	client         *http.Client
	log            bytes.Buffer
}

// programs is the folder for the programs that the tests build.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "dailies-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(programs); err != nil {
		panic(err)
	}
	os.Exit(code)
}

var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(programs, "dailies")
	build := exec.Command("go", "build", "-o", path, "dailies")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// buildProgram builds the program once and returns its path.
func buildProgram(t *testing.T) string {
	t.Helper()
	path, err := build()
	must(t, err)
	return path
}

// freeAddress returns a local address at which nothing listens.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer l.Close()
	return l.Addr().String()
}

func (p *program) start(t *testing.T) {
	t.Helper()
	addr := freeAddress(t)
	p.base = "http://" + addr
	p.process = exec.Command(p.path, "-addr", addr, "-data", p.dir, "-api-url", p.api, "-poll", "20ms", "-setup-token", "the-setup-token")
	p.process.Stderr = &p.log
	must(t, p.process.Start())
	t.Cleanup(p.kill)
	if p.client == nil {
		jar, err := cookiejar.New(nil)
		must(t, err)
		// The cookie is bound to the host only, so it stays valid when the port
		// changes.
		p.client = &http.Client{
			Jar: jar, Timeout: 2 * time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		resp, err := p.client.Get(p.base + "/healthz")
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not answer: %v\n%s", err, p.log.String())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (p *program) kill() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
}

func (p *program) signUp(t *testing.T, key string) {
	t.Helper()
	if !p.post("/setup?token=the-setup-token", url.Values{
		"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"},
	}) {
		t.Fatalf("cannot sign up: %s", p.log.String())
	}
	if !p.post("/settings/key", url.Values{"key": {key}}) {
		t.Fatalf("cannot save the key: %s", p.log.String())
	}
}

// submit reports whether the page confirmed that the video is on its way.
func (p *program) submit(prompt string) bool {
	return p.post("/create/text-to-video", url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {prompt}, "duration": {"4"}, "resolution": {"480p"},
	})
}

func (p *program) post(path string, form url.Values) bool {
	resp, err := p.client.PostForm(p.base+path, form)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusSeeOther && resp.Header.Get("Location") != "/login"
}

// finish lets the program run until no video is running or still to be kept, stops
// it, and returns all tasks.
func (p *program) finish(t *testing.T) []db.Task {
	t.Helper()
	deadline := time.Now().Add(4 * time.Minute)
	for {
		busy := 0
		tasks := p.read(t)
		for _, task := range tasks {
			if task.State.Running() || task.Keeping == db.Saving {
				busy++
			}
		}
		if busy == 0 {
			p.kill()
			return tasks
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d videos still run", busy)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// read returns all tasks, and checks that every kept file is complete.
func (p *program) read(t *testing.T) []db.Task {
	t.Helper()
	store, err := store.OpenExisting(t.Context(), filepath.Join(p.dir, "dailies.db"))
	must(t, err)
	defer store.Close()
	files := media.At(filepath.Join(p.dir, "media")) // the program may still be writing there
	var tasks []db.Task
	filter := gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}, Limit: 100}
	for {
		page, err := store.Search.Tasks(t.Context(), filter)
		must(t, err)
		if len(page) == 0 {
			return tasks
		}
		tasks = append(tasks, page...)
		filter.Before = page[len(page)-1].ID
		for _, task := range page {
			for _, m := range task.Media {
				file, err := files.File(t.Context(), m.Hash)
				must(t, err)
				if n, err := io.Copy(io.Discard, file); err != nil || n != m.Size {
					t.Errorf("%q: %d of %d bytes are kept, %v", task.Prompt, n, m.Size, err)
				}
				file.Close()
			}
		}
	}
}
