package watch_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/db/store/sample"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
	"dailies/web/videoapi"
)

// BenchmarkCreatesPerKey sends many queued videos with one key to a service that
// answers immediately. It reports the creates per second and the CPU time per create.
//
//	go test -run ^$ -bench CreatesPerKey -benchtime 1x ./handlers/watch
func BenchmarkCreatesPerKey(b *testing.B) {
	for _, queued := range []int{500, 10_000} {
		b.Run(fmt.Sprint(queued), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w, up := queuedWatcher(b, queued)
				ctx, stop := context.WithCancel(b.Context())
				b.StartTimer()
				before, began := handlerstest.Processor(), time.Now()
				ended := make(chan error, 1)
				go func() { ended <- w.Run(ctx) }()
				for up.created.Load() < 500 {
					time.Sleep(time.Millisecond)
				}
				took, spent := time.Since(began), handlerstest.Processor()-before
				stop()
				must(b, <-ended)
				b.ReportMetric(500/took.Seconds(), "creates/s")
				b.ReportMetric(spent.Seconds()*1000/500, "ms-cpu/create")
			}
		})
	}
}

// queuedWatcher returns a watcher whose only user has that many queued videos.
func queuedWatcher(b *testing.B, queued int) (*watch.Watcher, *instantService) {
	b.Helper()
	dir := b.TempDir()
	store, err := store.Open(b.Context(), dir+"/dailies.db")
	must(b, err)
	b.Cleanup(func() { store.Close() })
	vault, err := db.NewVault([]byte("bench"))
	must(b, err)
	must(b, sample.AddUser(b, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	must(b, store.PutKey(b.Context(), db.Key{UserID: 1, Sealed: vault.Seal(1, "sk"), Fingerprint: vault.Fingerprint("sk"), CreatedAt: db.Now()}))
	tasks := make([]db.Task, queued)
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: fmt.Sprint(i), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
	}
	_, err = store.AddTasks(b.Context(), tasks)
	must(b, err)
	files, err := media.Open(dir + "/media")
	must(b, err)
	up := &instantService{}
	w := watch.New(watch.Config{
		Store: store, Media: files, Service: videoapi.NewClient(base, &http.Client{Transport: up}), Catalog: videoapi.DefaultCatalog(),
		Vault: vault, Poll: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	return w, up
}

// instantService accepts every video immediately and never finishes one.
type instantService struct{ created atomic.Int64 }

func (s *instantService) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"code":0,"message":"ok","data":{"status":"processing"}}`
	if r.URL.Path == create {
		body = fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":"r%d","status":"pending","costCredits":30}}`, s.created.Add(1))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}
