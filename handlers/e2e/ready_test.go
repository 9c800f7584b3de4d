package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHowSoonAPageSaysReady measures how long it takes from the moment at which
// the service has a video until an open page says "Ready", with -poll 1s. It
// judges nothing, so it runs only when asked:
//
//	DAILIES_READY=1 go test -count 1 -v -run HowSoon ./handlers/e2e
func TestHowSoonAPageSaysReady(t *testing.T) {
	if os.Getenv("DAILIES_READY") == "" {
		t.Skip("set DAILIES_READY to measure")
	}
	far := newFarService(t)
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, plain: true, settings: []string{"-api-url", far.URL, "-poll", "1s"}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	ada, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ada.post("/settings/key", url.Values{"key": {"sk-far"}}); err != nil {
		t.Fatal(err)
	}
	window := newTabOf(t, ada)
	var took []time.Duration
	for batch := range 15 {
		for i := range 6 {
			ada.makeOf(t, "text-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {fmt.Sprintf("boat %d of %d", i, batch)}})
		}
		window.open("/create/text-to-video")
		get[bool](window, watchCards)
		window.await("six videos are ready", `Object.keys(window.ready).length >= 6`)
		took = append(took, far.delays(get[map[string]float64](window, `window.ready`))...)
	}
	slices.Sort(took)
	t.Logf("from the service's success to \"Ready\" in an open page, -poll 1s, %d videos: median %v, p99 %v",
		len(took), took[len(took)/2].Round(10*time.Millisecond), took[len(took)*99/100].Round(10*time.Millisecond))
}

// watchCards records in window.ready when each card becomes ready, by its title.
const watchCards = `(() => {
	window.ready = {}
	const title = new Set([...document.querySelectorAll('.take:not([data-state=success])')].map(a => a.dataset.name))
	const look = () => document.querySelectorAll('.take[data-state=success]').forEach(a => {
		if (title.has(a.dataset.name)) window.ready[a.dataset.name] ??= Date.now()
	})
	new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true})
	return true
})()`

// farService is a video service that accepts every request and finishes its video some
// seconds later.
type farService struct {
	*httptest.Server
	mu    sync.Mutex
	ready map[string]time.Time // by prompt, which is also the task's ID at the service
}

func newFarService(t *testing.T) *farService {
	t.Helper()
	f := &farService{ready: map[string]time.Time{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *farService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Prompt, TaskID string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, "junk", http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, status := asked.TaskID, "pending"
	if strings.HasSuffix(r.URL.Path, "/generate") {
		id = asked.Prompt
		f.ready[id] = time.Now().Add(4*time.Second + time.Duration(rand.Int64N(int64(6*time.Second))))
	} else if time.Now().After(f.ready[id]) {
		status = "success"
	}
	_, _ = io.WriteString(w, fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":%q,"costCredits":30}}`, id, status))
}

// delays returns, for each video, the time from when the service had it until the page
// showed it.
func (f *farService) delays(seen map[string]float64) []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []time.Duration
	for prompt, at := range seen {
		all = append(all, time.UnixMilli(int64(at)).Sub(f.ready[prompt]))
	}
	return all
}
