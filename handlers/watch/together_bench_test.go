package watch_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/db/store/sample"
	"dailies/handlers/watch"
	"dailies/web/videoapi"
)

// slowFiles is a service whose files take two seconds each.
type slowFiles struct{ punctual }

func (s *slowFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != create && r.URL.Path != ask {
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(2 * time.Second):
		}
	}
	return s.punctual.RoundTrip(r)
}

// BenchmarkReadyTogether watches 60 videos of one person that finish at the same time,
// 25 s after they were requested. All files are on one host, and each takes two seconds.
// It reports the median and the longest time from the end of a video at the service
// until it is kept here.
//
//	go test -run ^$ -bench ReadyTogether -benchtime 1x ./handlers/watch
func BenchmarkReadyTogether(b *testing.B) {
	const videos = 60
	for b.Loop() {
		end := time.Now().Add(25 * time.Second)
		s := &slowFiles{punctual{random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{}, takes: func(*rand.Rand) time.Duration { return time.Until(end) }}}
		store, stop := watchService(b, s)
		var tasks []db.Task
		for range videos {
			t := db.Task{UserID: 1, FormToken: db.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
			queue(b, store, &t)
			tasks = append(tasks, t)
		}
		var took []time.Duration
		for _, t := range tasks {
			for !kept(t) {
				time.Sleep(20 * time.Millisecond)
				var err error
				t, err = store.Task(b.Context(), t.ID)
				must(b, err)
			}
			file, _ := t.Video()
			took = append(took, file.CreatedAt.Sub(end))
		}
		stop()
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2].Seconds(), "s-median")
		b.ReportMetric(took[len(took)-1].Seconds(), "s-longest")
	}
}

// watchService runs a watcher on a new database with one person. The returned function
// stops it.
func watchService(b *testing.B, service http.RoundTripper, changes ...func(*watch.Config)) (*store.Store, func()) {
	b.Helper()
	dir := b.TempDir()
	store := sample.Open(b, dir+"/dailies.db")
	vault, err := db.NewVault([]byte("bench"))
	must(b, err)
	must(b, sample.AddUser(b, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	must(b, store.PutKey(b.Context(), db.Key{UserID: 1, Sealed: vault.Seal(1, "sk"), CreatedAt: db.Now()}))
	files, err := media.Open(dir + "/media")
	must(b, err)
	client := &http.Client{Transport: service}
	c := watch.Config{
		Store: store, Media: files, Service: videoapi.NewClient(base, client), Catalog: videoapi.DefaultCatalog(),
		Vault: vault, Fetch: client, Poll: 3 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&c)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var work sync.WaitGroup
	work.Go(func() { _ = watch.New(c).Run(ctx) })
	return store, func() { cancel(); work.Wait() }
}
