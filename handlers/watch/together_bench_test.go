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
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
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
		store, start := newWatched(b, s)
		stop := start()
		var tasks []db.Task
		for range videos {
			t := db.Task{UserID: 1, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
			queue(b, store, &t)
			tasks = append(tasks, t)
		}
		var took []time.Duration
		for _, t := range tasks {
			for !kept(t) {
				time.Sleep(20 * time.Millisecond)
				var err error
				t, err = store.Tasks.Task(b.Context(), t.ID)
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

// newWatched returns a new database with two people, whose IDs are 1 and 2, and who have keys,
// and a function that starts a
// watcher on it and returns another that stops the watcher.
func newWatched(b *testing.B, service http.RoundTripper) (*store.Store, func() (stop func())) {
	b.Helper()
	dir := b.TempDir()
	store := sampletest.Open(b, dir+"/dailies.db")
	vault, err := secrets.NewVault([]byte("bench"))
	must(b, err)
	for _, name := range []string{"Kim", "Bo"} {
		must(b, sampletest.AddUser(b, store, &db.User{Name: name, Email: name + "@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	}
	for id := range int64(2) {
		must(b, store.Keys.PutKey(b.Context(), secrets.Key{UserID: id + 1, Sealed: vault.Seal(id+1, "sk"), CreatedAt: db.Now()}))
	}
	files, err := media.Open(dir + "/media")
	must(b, err)
	client := &http.Client{Transport: service}
	w := watch.New(watch.Config{
		Store: store, Media: files, Services: only{videoapi.NewClient(base, client)}, Catalog: videoapi.DefaultCatalog(),
		Vault: vault, Fetch: client, Poll: 3 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
	return store, func() func() {
		ctx, cancel := context.WithCancel(b.Context())
		var work sync.WaitGroup
		work.Go(func() { _ = w.Run(ctx) })
		return func() { cancel(); work.Wait() }
	}
}
