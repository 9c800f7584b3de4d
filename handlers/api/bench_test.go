package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"

	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkList requests 24 videos as a program beside the gallery's first page, with the
// database of a large team: 100,000 videos (or DAILIES_BENCH_TASKS). It reports the median
// CPU time of an answer.
//
//	go test -run ^$ -bench BenchmarkList -benchtime 40x ./handlers/api
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), sampletest.Tasks(b), 100)
	h := handlerstest.NewAt(b, dir)
	p := h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	c := newClient(b, h, p, "look", 0)
	handler, err := h.App.Handler()
	must(b, err)
	home, err := url.Parse(h.URL)
	must(b, err)
	for _, path := range []string{"/gallery", "/api/v1/videos?limit=24", "/api/v1/videos?limit=100", "/api/v1/me"} {
		b.Run(path, func(b *testing.B) {
			sampletest.Timed(b, func() {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Header.Set("Authorization", "Bearer "+c.token)
				for _, cookie := range p.Jar.Cookies(home) {
					r.AddCookie(cookie)
				}
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatalf("%s: got %d", path, w.Code)
				}
			})
		})
	}
}
