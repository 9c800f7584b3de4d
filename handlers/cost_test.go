package handlers_test

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
	"dailies/static"
)

// BenchmarkCost reports the server's CPU time for a request over loopback, with the
// client in another process. In turn with the app, two plain net/http handlers answer
// with the same bytes: one does nothing else (x-bare is the ratio to its cost), the
// other first reads one row with a prepared statement (x-one-read). Each figure is
// the median of the rounds; unlike wall-clock time, it hardly changes when the
// machine is busy. A request that takes more than three times the figure recorded in
// testdata/figures.toml fails the benchmark. The team has 2,000 videos, or
// DAILIES_BENCH_TASKS.
//
//	go test -run ^$ -bench Cost -benchtime 3s ./handlers
func BenchmarkCost(b *testing.B) {
	h := handlerstest.NewAt(b, b.TempDir())
	h.Watcher.Poll = time.Hour // so that no video is queried meanwhile
	h.Watcher.Log = slog.New(slog.DiscardHandler)
	sampletest.Fill(b, h.Store, h.Database, benchTasks(b), 20)
	h.Wire.Divert(takesAtOnce())
	h.Run(b)
	p := h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	must(b, h.Store.Keys.PutKey(b.Context(), secrets.Key{UserID: 1, Sealed: h.Watcher.Vault.Seal(1, "sk-bench"), CreatedAt: db.Now()}))
	finished := regexp.MustCompile(`id="task-(\d+)"`).FindStringSubmatch(p.Get("/gallery?who=me").Is(200).Text)[1]
	waiting, processing := running(b, h), running(b, h)
	h.Alter(b, processing, func(t *db.Task) { t.State, t.Status = db.Processing, "processing" })
	clients, figures := newLoad(b), readFigures(b)
	for _, page := range []struct{ name, path string }{
		{"status fragment", "/tasks/" + finished + "/status"},
		{"status fragment, pending", fmt.Sprintf("/tasks/%d/status", waiting)},
		{"status fragment, processing", fmt.Sprintf("/tasks/%d/status", processing)},
		{"status fragment, unchanged", polledBy(p, fmt.Sprintf("/tasks/%d", processing), "status")},
		{"latest fragment", "/tasks/latest"},
		{"latest fragment, unchanged", polledBy(p, "/create/text-to-video", "latest")},
		{"form", "/create/text-to-video"},
		{"style sheet", static.URL("app.css")},
		{"htmx", static.URL("vendor/htmx/htmx.min.js")},
		{"style sheet, known", "/static/app.css"},
	} {
		b.Run(page.name, func(b *testing.B) {
			request, status := p.Request("GET", page.path, ""), 200
			if strings.HasSuffix(page.name, "known") {
				etag := p.Get(page.path, "Accept-Encoding", "gzip, deflate, br, zstd").Is(200).Header.Get("ETag")
				request, status = p.Request("GET", page.path, "", "If-None-Match", etag), 304
			}
			if strings.Contains(page.name, "fragment") {
				request = p.Request("GET", page.path, "", "HX-Request-Type", "partial")
			}
			if strings.HasSuffix(page.name, "unchanged") {
				status = 204
			}
			hold(b, figures, compare(b, h, clients, request, status))
		})
	}
	b.Run("press", func(b *testing.B) {
		form := handlerstest.WithField(handlerstest.GoodForm(), "token", "bench"+placeholder)
		hold(b, figures, compare(b, h, clients, p.Request("POST", "/create/text-to-video", form.Encode()), 303))
	})
	addMembers(b, h, 2000)
	b.Run("status fragment, pending, 2,000 members", func(b *testing.B) {
		hold(b, figures, compare(b, h, clients, p.Request("GET", fmt.Sprintf("/tasks/%d/status", waiting), "", "HX-Request-Type", "partial"), 200))
	})
	b.Run("keys of the team, 2,000 members", func(b *testing.B) {
		hold(b, figures, compare(b, h, clients, p.Request("GET", "/team/keys", ""), 200))
	})
	b.Run("gallery, 2,000 members", func(b *testing.B) {
		hold(b, figures, compare(b, h, clients, p.Request("GET", "/gallery", ""), 200))
	})
}

// benchTasks returns DAILIES_BENCH_TASKS, or 2,000.
func benchTasks(b *testing.B) int {
	if os.Getenv("DAILIES_BENCH_TASKS") == "" {
		return 2_000
	}
	return sampletest.Tasks(b)
}

// polledBy returns the address from which the part of the page refreshes itself.
func polledBy(p *handlerstest.Browser, page, id string) string {
	return polledOn(p, page, id).address
}

// addMembers adds members directly to the database file, all with the first user's key.
func addMembers(b *testing.B, h *handlerstest.Server, n int) {
	b.Helper()
	raw, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(b, err)
	defer raw.Close()
	for _, statement := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			SELECT 'Member ' || i, 'm' || i || '@example.com', 'm' || i || '@example.com', 'm' || i || '@example.com', '', 'member', '', 0 FROM n`,
		`INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, accepted)
			SELECT u.id, k.sealed, k.last_four, k.fingerprint, 0, 0 FROM users u, keys k WHERE k.user_id = 1 AND u.id > (SELECT max(id) FROM users) - ?`,
	} {
		_, err := raw.Exec(statement, n)
		must(b, err)
	}
}

// compare measures rounds of requests to the app, and to plain handlers that send the
// same response. It returns x-one-read.
func compare(b *testing.B, h *handlerstest.Server, clients *load, request string, status int) (ratio float64) {
	const round = 100
	sample := clients.ask(b, h.Listener.Addr().String(), request, 5, status)
	bare := plain(b, status, sample.Body, nil)
	read := plain(b, status, sample.Body, rowOf(b, h.Database))
	var app, atBare, atRead []float64
	var took []time.Duration
	for b.Loop() {
		spent := func(addr string, count int) float64 {
			before := handlerstest.Processor()
			d := clients.ask(b, addr, request, count, status)
			if count == round {
				took = append(took, d.Took...)
			}
			return float64((handlerstest.Processor() - before).Microseconds()) / float64(count)
		}
		// The plain handlers get more requests, because each takes so little time.
		ours := spent(h.Listener.Addr().String(), round)
		app = append(app, ours)
		atBare = append(atBare, ours/spent(bare, 10*round))
		atRead = append(atRead, ours/spent(read, 5*round))
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(app), "µs-cpu")
	b.ReportMetric(median(atBare), "x-bare")
	b.ReportMetric(median(atRead), "x-one-read")
	b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
	return median(atRead)
}

// plain starts a server that calls first and then writes the body, and returns its
// address.
func plain(b *testing.B, status int, body []byte, first func(*http.Request) error) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first != nil {
			if err := first(r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	b.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// rowOf returns a function that reads a row of the database with a prepared
// statement.
func rowOf(b *testing.B, path string) func(*http.Request) error {
	pool, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	must(b, err)
	b.Cleanup(func() { _ = pool.Close() })
	one, err := pool.PrepareContext(b.Context(), `SELECT state, prompt FROM tasks WHERE id = ?`)
	must(b, err)
	b.Cleanup(func() { _ = one.Close() })
	return func(r *http.Request) error {
		var state, prompt string
		return one.QueryRowContext(r.Context(), 7).Scan(&state, &prompt)
	}
}

// running adds a running video of the first user and returns its ID.
func running(b *testing.B, h *handlerstest.Server) int64 {
	t := db.Task{
		UserID: 1, FormToken: "runs", Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a kite over the sea",
		Options: db.Options{Duration: 5, Resolution: "720p", AspectRatio: "16:9"}, CreatedAt: db.Now(),
	}
	handlerstest.Queue(b, h.Store, &t)
	h.Watcher.Wake()
	return h.Reaches(b, t.ID, db.Pending).ID
}

// takesAtOnce returns a service that accepts every request immediately.
func takesAtOnce() func(*http.Request) (*http.Response, error) {
	var taken atomic.Int64
	return func(r *http.Request) (*http.Response, error) {
		body := fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":"remote-%d","status":"pending"}}`, taken.Add(1))
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	}
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
