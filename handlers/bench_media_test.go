package handlers_test

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/costtest"
)

// BenchmarkMedia reports the cost of sending videos of 1, 8 and 100 MB, and ranges of the
// last: the server's CPU time per gigabyte over loopback, with the client in another
// process, and the ratio to a plain handler with http.ServeContent in the same run.
//
//	go test -run ^$ -bench Media -benchtime 20x ./handlers
func BenchmarkMedia(b *testing.B) {
	const size = 100 << 20
	h := handlerstest.NewAt(b, b.TempDir()).With(b, func(c *handlers.Config) {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil)) // like the program, which logs no requests
	})
	p := h.Founder(b)
	hashes := map[string]string{} // by the path of the file
	film := func(size int64) (path string) {
		hash, _, err := h.Config.Media.Put(b.Context(), io.LimitReader(rand.NewChaCha8([32]byte{}), size), size)
		must(b, err)
		t := h.Alter(b, h.KeptFilm(b, 1, "a film").ID, func(t *db.Task) {
			t.Media = append(t.Media, db.Media{Kind: db.Video, Position: 1, Hash: hash, Type: "video/webm", Size: size, CreatedAt: db.Now()})
		})
		path = fmt.Sprintf("/media/%d", t.Media[2].ID)
		hashes[path] = hash
		return path
	}
	long, eight, one := film(size), film(8<<20), film(1<<20)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := h.Config.Media.File(b.Context(), hashes[r.URL.Path])
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer file.Close()
		w.Header().Set("Content-Type", "video/webm")
		http.ServeContent(w, r, "", time.Time{}, file)
	}))
	b.Cleanup(bare.Close)
	clients := newLoad(b)
	clients.drop = true
	for _, part := range []struct {
		name   string
		path   string
		header []string
		count  int // requests per round
		bytes  int64
		status int
	}{
		{"100 MB", long, nil, 3, size, 200},
		{"8 MB", eight, nil, 20, 8 << 20, 200},
		{"1 MB", one, nil, 60, 1 << 20, 200},
		{"second half", long, []string{"Range", "bytes=52428800-"}, 6, size / 2, 206},
		{"8 MB range", long, []string{"Range", "bytes=50000000-58388607"}, 20, 8 << 20, 206},
		{"4 MB range", long, []string{"Range", "bytes=50000000-54194303"}, 40, 4 << 20, 206},
		{"1 MB range", long, []string{"Range", "bytes=50000000-51048575"}, 60, 1 << 20, 206},
		{"64 KB range", long, []string{"Range", "bytes=50000000-50065535"}, 200, 64 << 10, 206},
	} {
		b.Run(part.name, func(b *testing.B) {
			request := p.Request("GET", part.path, "", part.header...)
			spent := func(addr string) float64 {
				before := costtest.Processor()
				clients.ask(b, addr, request, part.count, part.status)
				return (costtest.Processor() - before).Seconds()
			}
			var app, times []float64
			for b.Loop() {
				ours := spent(h.Listener.Addr().String())
				app = append(app, ours/float64(part.bytes)/float64(part.count)*1e9)
				times = append(times, ours/spent(bare.Listener.Addr().String()))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(app), "s-cpu/GB")
			b.ReportMetric(median(times), "x-ServeContent")
		})
	}
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
