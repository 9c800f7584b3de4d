package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// BenchmarkEngines requests the most common pages with the database of a large team,
// on SQLite and on Postgres, and prints a table of the median times: with 100,000
// videos (or DAILIES_BENCH_TASKS) and, with DAILIES_LONG=1, also with 1,000,000. The
// Postgres server runs on the same machine with its default settings. Requests
// alternate between the engines, so that other load on the machine affects both.
//
//	go test -run ^$ -bench Engines -benchtime 1x -timeout 1h ./handlers
func BenchmarkEngines(b *testing.B) {
	sizes := []int{sampletest.Tasks(b)}
	if scopetest.Long() {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			both := onBothEngines(b, n)
			list := both[0].browser.Get(fmt.Sprintf("/gallery?before=%d", n/2)).Is(http.StatusOK)
			finished := regexp.MustCompile(`id="task-(\d+)"`).FindStringSubmatch(list.Text)[1]
			for b.Loop() {
				fmt.Printf("%-34s %10s %10s %7s   median of an answer, %d videos\n", "", "SQLite", "Postgres", "ratio", n)
				for _, page := range everydayPages(n, finished) {
					took := both.medians(b, page)
					fmt.Printf("%-34s %7.2f ms %7.2f ms %7.1f\n", page[0], milliseconds(took[0]), milliseconds(took[1]), float64(took[1])/float64(took[0]))
				}
			}
		})
	}
}

// everydayPages returns names and paths of requests. The path POST stands for
// submitting a video.
func everydayPages(n int, finished string) [][2]string {
	return [][2]string{
		{"video", "/tasks/" + finished},
		{"status", "/tasks/" + finished + "/status"},
		{"form", "/create/text-to-video"},
		{"latest", "/tasks/latest"},
		{"press", "POST"},
		{"gallery", "/gallery"},
		{"gallery, older", fmt.Sprintf("/gallery?before=%d", n/2)},
		{"gallery, mine", "/gallery?who=me&status=all"},
		{"gallery, person", "/gallery?who=5"},
		{"gallery, scene", "/gallery?scene=frames-to-video"},
		{"gallery, rare model", "/gallery?model=" + url.QueryEscape(sampletest.RareModel)},
		{"gallery, failed", "/gallery?status=failed"},
		{"gallery, starred", "/gallery?starred=1"},
		{"gallery, frequent tag", "/gallery?tag=" + sampletest.OftenTag},
		{"gallery, rare tag", "/gallery?tag=" + sampletest.RareTag},
		{"gallery, collection", "/gallery?collection=7"},
		{"gallery, month", "/gallery?from=2026-11-01&until=2026-11-30"},
		{"search, word in every prompt", "/gallery?q=a"},
		{"search, frequent words", "/gallery?q=mountain+sunset"},
		{"search, rare word", "/gallery?q=" + sampletest.RareWord},
		{"search, Chinese", "/gallery?q=" + url.QueryEscape("风筝")},
		{"search, Thai", "/gallery?q=" + url.QueryEscape("สี")},
		{"search, Arabic", "/gallery?q=" + url.QueryEscape("البحر")},
		{"word, star, month", "/gallery?q=the&starred=1&from=2026-11-01&until=2026-11-30"},
		{"everything at once", "/gallery?q=a&scene=text-to-video&model=seedance-2.0&ratio=16:9&who=me&status=all&starred=1&tag=" + sampletest.OftenTag},
		{"menu of models", "/gallery/counts?menu=model"},
		{"menu of people, with a word", "/gallery/counts?menu=who&q=mountain"},
		{"menu of tags", "/gallery/counts?menu=tag"},
		{"usage", "/usage"},
		{"bin", "/bin"},
	}
}

// A bench is the app on one engine, with a signed-in browser.
type bench struct {
	browser *handlerstest.Browser
	handler http.Handler
}

type benches [2]bench

// onBothEngines fills a database of each engine with the same data.
func onBothEngines(b *testing.B, n int) (both benches) {
	b.Helper()
	file := handlerstest.New(b)
	sampletest.Fill(b, file.Store, file.Database, n, 0)
	server, err := postgrestest.Start(b.Context())
	must(b, err)
	b.Cleanup(func() { must(b, server.Stop()) })
	address, err := server.Database(b.Context())
	must(b, err)
	began := time.Now()
	fillServer(b, file.Database, address)
	fmt.Printf("%d videos copied to the server within %v\n", n, time.Since(began).Round(time.Second))
	for i, h := range []*handlerstest.Server{file, handlerstest.NewOn(b, address)} {
		key, err := h.Sandbox.NewKey(b.Context(), "bench", 1e9)
		must(b, err)
		p := h.Stranger(b)
		p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
		p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
		handler, err := h.App.Handler()
		must(b, err)
		h.Run(b)
		both[i] = bench{p, handler}
	}
	return both
}

// medians measures both engines in turn, for a second and at least seven times.
func (both benches) medians(b *testing.B, page [2]string) (median [2]time.Duration) {
	b.Helper()
	var took [2][]time.Duration
	for _, one := range both {
		one.ask(b, page[1]) // the first request prepares the statements
	}
	for began := time.Now(); len(took[0]) < 7 || time.Since(began) < time.Second && len(took[0]) < 100; {
		for i, one := range both {
			took[i] = append(took[i], one.ask(b, page[1]))
		}
	}
	for i := range took {
		slices.Sort(took[i])
		median[i] = took[i][len(took[i])/2]
	}
	return median
}

// ask returns how long the response takes. The service refuses the videos submitted
// here, so that none is made.
func (one bench) ask(b *testing.B, path string) time.Duration {
	b.Helper()
	want := http.StatusOK
	var r *http.Request
	if path != "POST" {
		r = httptest.NewRequest(http.MethodGet, path, nil)
	} else {
		form := handlerstest.WithField(handlerstest.GoodForm(), "prompt", "a kite #refuse").Encode()
		r, want = httptest.NewRequest(http.MethodPost, "/create/text-to-video", strings.NewReader(form)), http.StatusUnprocessableEntity
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	home, err := url.Parse(one.browser.Server.URL)
	must(b, err)
	for _, c := range one.browser.Jar.Cookies(home) {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	runtime.GC()
	began := time.Now()
	one.handler.ServeHTTP(w, r)
	took := time.Since(began)
	if w.Code != want {
		b.Fatalf("%s: got %d\n%.2000s", path, w.Code, w.Body.String())
	}
	return took
}
