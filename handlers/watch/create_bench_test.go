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
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
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

// BenchmarkIntent submits videos one after another and waits for the outcome of each, with
// and without a folder for intents beside the database. It reports the time and the CPU
// time per submission, without the pages.
//
//	go test -run ^$ -bench Intent -benchtime 2000x -count 3 ./handlers/watch
func BenchmarkIntent(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("with=%t", with), func(b *testing.B) {
			settled := make(chan struct{}, 1)
			w, _ := queuedWatcher(b, 0, func(c *watch.Config) {
				if with {
					c.Aside = b.TempDir()
				}
				c.Settled = func(db.Task) { settled <- struct{}{} }
			})
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx) }()
			before, n := handlerstest.Processor(), 0
			for b.Loop() {
				n++
				_, err := w.Store.AddTasks(b.Context(), []db.Task{{
					UserID: 1, FormToken: fmt.Sprint(n), Scene: "text-to-video", Model: "seedance-2.0", Prompt: strings.Repeat("a boat ", 40), CreatedAt: db.Now()}})
				must(b, err)
				w.Wake()
				<-settled
			}
			b.ReportMetric((handlerstest.Processor()-before).Seconds()*1000/float64(n), "ms-cpu/video")
			stop()
			must(b, <-ended)
		})
	}
}

// queuedWatcher returns a watcher whose only user has that many queued videos.
func queuedWatcher(b *testing.B, queued int, changes ...func(*watch.Config)) (*watch.Watcher, *instantService) {
	b.Helper()
	dir := b.TempDir()
	store, err := store.Open(b.Context(), dir+"/dailies.db")
	must(b, err)
	b.Cleanup(func() { store.Close() })
	vault, err := secrets.NewVault([]byte("bench"))
	must(b, err)
	must(b, sampletest.AddUser(b, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	must(b, store.Keys.PutKey(b.Context(), secrets.Key{UserID: 1, Sealed: vault.Seal(1, "sk"), Fingerprint: vault.Fingerprint("sk"), CreatedAt: db.Now()}))
	tasks := make([]db.Task, queued)
	for i := range tasks {
		tasks[i] = db.Task{UserID: 1, FormToken: fmt.Sprint(i), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
	}
	_, err = store.AddTasks(b.Context(), tasks)
	must(b, err)
	files, err := media.Open(dir + "/media")
	must(b, err)
	up := &instantService{}
	c := watch.Config{
		Store: store, Media: files, Services: only{videoapi.NewClient(base, &http.Client{Transport: up})}, Catalog: videoapi.DefaultCatalog(),
		Vault: vault, Poll: time.Hour, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&c)
	}
	return watch.New(c), up
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
