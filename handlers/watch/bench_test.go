package watch_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/web/costtest"
	"dailies/web/fetch"
	"dailies/web/videoapi"
)

// longestPause is the longest regular interval between two queries, including jitter,
// plus one second of tolerance. A query after a longer pause counts as late.
const longestPause = 15*time.Second*11/10 + time.Second

// BenchmarkTenThousandRunning watches 10,000 running videos: with one watcher on
// SQLite, and with three on Postgres, each with its own connections like a separate
// process. The videos end one after another over the period given in DAILIES_WATCH
// (default 30s). The service is a separate process, reached over HTTP on loopback.
// The benchmark reports the share of queries that were on time, the share of calls
// that needed a new connection, this process's CPU time and memory, and the queries
// per video. DAILIES_WATCH_END stops it before all videos have ended.
//
//	DAILIES_WATCH=5m DAILIES_WATCH_END=1m go test -run ^$ -bench TenThousand -benchtime 1x -timeout 15m ./handlers/watch
func BenchmarkTenThousandRunning(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { watchTenThousand(b, b.TempDir()+"/dailies.db", 1) })
	b.Run("Postgres-three", func(b *testing.B) {
		s, err := postgrestest.Start(b.Context()) // syncs to disk, as a production server does
		must(b, err)
		defer func() { must(b, s.Stop()) }()
		database, err := s.Database(b.Context())
		must(b, err)
		watchTenThousand(b, database, 3)
	})
}

func watchTenThousand(b *testing.B, database string, watchers int) {
	const running = 10_000
	window := periodOf(b, "DAILIES_WATCH", 30*time.Second)
	for b.Loop() {
		dir := b.TempDir()
		var stores []*store.Store
		for range watchers {
			s, err := store.Open(b.Context(), database)
			must(b, err)
			must(b, s.Enter(b.Context(), watchers == 1))
			stores = append(stores, s)
		}
		store := stores[0]
		vault, err := secrets.NewVault([]byte("bench"))
		must(b, err)
		must(b, sampletest.AddUser(b, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
		must(b, store.Keys.PutKey(b.Context(), secrets.Key{UserID: 1, Sealed: vault.Seal(1, "sk"), CreatedAt: db.Now()}))
		addRunning(b, store, running)
		files, err := media.Open(dir + "/media")
		must(b, err)
		far := startFarService(b, window)
		results, err := fetch.NewClient(false, fetch.Trust{Base: far, Transport: fetch.Files()})
		must(b, err)
		end := periodOf(b, "DAILIES_WATCH_END", window+30*time.Second)
		ctx, stop := context.WithTimeout(b.Context(), end)
		began, before := time.Now(), costtest.Processor()
		var work errgroup.Group
		for _, s := range stores {
			w := watch.New(watch.Config{
				Store: s, Media: files, Services: only{videoapi.NewClient(far, &http.Client{Transport: fetch.Service(watch.Calls())})},
				Catalog: videoapi.DefaultCatalog(),
				Vault:   vault, Fetch: results, Poll: 3 * time.Second, Log: slog.New(slog.DiscardHandler),
			})
			work.Go(func() error { return w.Run(ctx) })
			work.Go(func() error { return s.Stay(ctx) })
		}
		must(b, work.Wait())
		spent, elapsed := costtest.Processor()-before, time.Since(began)
		stop()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		left, err := store.Tasks.Running(b.Context(), 1)
		must(b, err)
		for _, s := range stores {
			must(b, s.Close())
		}
		seen := farStats(b, far)
		b.ReportMetric(100*seen.OnTime, "%on-time")
		b.ReportMetric(100*float64(seen.Connections)/float64(max(1, seen.Calls)), "%new-connections")
		b.ReportMetric(float64(seen.Calls)/elapsed.Seconds(), "calls/s")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
		b.ReportMetric(float64(mem.Sys)/1e6, "MB")
		b.ReportMetric(seen.Median, "questions/video")
		b.ReportMetric(float64(left), "left-running")
	}
}

// periodOf returns the duration in the environment variable, or the default.
func periodOf(b *testing.B, variable string, standard time.Duration) time.Duration {
	b.Helper()
	s := os.Getenv(variable)
	if s == "" {
		return standard
	}
	d, err := time.ParseDuration(s)
	must(b, err)
	return d
}

func addRunning(b *testing.B, store *store.Store, n int) {
	b.Helper()
	for i := range n {
		now := db.Now()
		t := db.Task{
			UserID: 1, FormToken: fmt.Sprint(i),
			Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"}, CreatedAt: now,
		}
		queue(b, store, &t)
		_, err := store.Tasks.UpdateTask(b.Context(), t.ID, func(t *db.Task) error {
			if err := t.Begin(now); err != nil {
				return err
			}
			due := now.Add(time.Duration(rand.Int64N(int64(15 * time.Second))))
			return t.Accept(db.Report{RemoteID: fmt.Sprint(i), Status: "processing"}, now, due)
		})
		must(b, err)
	}
}

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
				before, began := costtest.Processor(), time.Now()
				ended := make(chan error, 1)
				go func() { ended <- w.Run(ctx) }()
				for up.created.Load() < 500 {
					time.Sleep(time.Millisecond)
				}
				took, spent := time.Since(began), costtest.Processor()-before
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
			before, n := costtest.Processor(), 0
			for b.Loop() {
				n++
				_, err := w.Store.AddTasks(b.Context(), []db.Task{{
					UserID: 1, FormToken: fmt.Sprint(n),
					Request:   db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: strings.Repeat("a boat ", 40)},
					CreatedAt: db.Now()}})
				must(b, err)
				w.Wake()
				<-settled
			}
			b.ReportMetric((costtest.Processor()-before).Seconds()*1000/float64(n), "ms-cpu/video")
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
	must(b, store.Keys.PutKey(b.Context(), secrets.Key{
		UserID: 1, Sealed: vault.Seal(1, "sk"), Fingerprint: vault.Fingerprint("sk"), CreatedAt: db.Now(),
	}))
	tasks := make([]db.Task, queued)
	for i := range tasks {
		tasks[i] = db.Task{
			UserID: 1, FormToken: fmt.Sprint(i),
			Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"}, CreatedAt: db.Now(),
		}
	}
	_, err = store.AddTasks(b.Context(), tasks)
	must(b, err)
	files, err := media.Open(dir + "/media")
	must(b, err)
	up := &instantService{}
	c := watch.Config{
		Store: store, Media: files, Services: only{videoapi.NewClient(base, &http.Client{Transport: up})},
		Catalog: videoapi.DefaultCatalog(),
		Vault:   vault, Poll: time.Hour, Log: slog.New(slog.DiscardHandler),
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
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
}

// BenchmarkSingleBesideBatch watches 10,000 running videos of one person and, for its
// first minute, a single video of another. It reports the longest time between two
// queries about the single video, their number, all queries per second, and this
// process's CPU time.
//
//	go test -run ^$ -bench SingleBesideBatch -benchtime 1x ./handlers/watch
func BenchmarkSingleBesideBatch(b *testing.B) {
	for b.Loop() {
		s := &punctual{done: map[string]time.Time{}, takes: func(*rand.Rand) time.Duration { return time.Hour }, single: "10001"}
		for i := range 10_000 {
			s.done[fmt.Sprint(i)] = time.Now().Add(time.Hour)
		}
		store, start := newWatched(b, s)
		addRunning(b, store, 10_000)
		stop := start()
		time.Sleep(15 * time.Second) // by then all are due
		single := db.Task{
			UserID: 2, FormToken: "single",
			Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"}, CreatedAt: db.Now(),
		}
		queue(b, store, &single)
		began, before, asked := time.Now(), costtest.Processor(), s.asked()
		time.Sleep(time.Minute)
		spent, elapsed, queries := costtest.Processor()-before, time.Since(began), s.asked()-asked
		stop()
		longest, ofSingle := s.longestGap()
		b.ReportMetric(longest.Seconds(), "s-longest-gap")
		b.ReportMetric(float64(ofSingle), "queries-of-single")
		b.ReportMetric(float64(queries)/elapsed.Seconds(), "queries/s")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
	}
}

// BenchmarkStarBesideUpkeep sets a star every 20 ms while all background work runs on a
// database with many videos, for the period given in DAILIES_UPKEEP (default 75s).
// Meanwhile the bin is emptied and the usage is converted to another time zone. It
// reports the longest and the median wait for a star, and this process's CPU time.
// DAILIES_BENCH_TASKS sets the number of videos.
//
//	DAILIES_BENCH_TASKS=1000000 DAILIES_UPKEEP=10m go test -run ^$ -bench StarBesideUpkeep -benchtime 1x -timeout 1h ./handlers/watch
func BenchmarkStarBesideUpkeep(b *testing.B) {
	dir, period := b.TempDir(), periodOf(b, "DAILIES_UPKEEP", 75*time.Second)
	path := dir + "/dailies.db"
	n := sampletest.Tasks(b)
	sampletest.Prepare(b, path, n, 0)
	store := sampletest.Open(b, path)
	viewer, err := store.Accounts.User(b.Context(), 1)
	must(b, err)
	vault, err := secrets.NewVault([]byte("bench"))
	must(b, err)
	files, err := media.Open(dir + "/media")
	must(b, err)
	log := slog.New(slog.DiscardHandler)
	watcher := watch.New(watch.Config{
		Store: store, Media: files, Services: only{videoapi.NewClient(base, http.DefaultClient)}, Catalog: videoapi.DefaultCatalog(),
		Vault: vault, Fetch: http.DefaultClient, Poll: 3 * time.Second, Log: log,
	})
	bin := watch.NewBin(store, files, log)
	for b.Loop() {
		must(b, store.Settings.SetTimeZone(b.Context(), "Asia/Tokyo"))
		ctx, stop := context.WithTimeout(b.Context(), period)
		var work errgroup.Group
		for _, run := range []func(context.Context) error{
			store.Stay, watcher.Run, bin.Run, watch.NewZone(store, log).Run, watch.NewThumbs(store, files, log).Run,
			func(ctx context.Context) error { // more than the clock would allow
				if err := bin.Round(ctx, sampletest.End().Add(2*db.BinLife)); ctx.Err() == nil {
					return err
				}
				return nil
			},
		} {
			work.Go(func() error { return run(ctx) })
		}
		var waits []time.Duration
		began, before := time.Now(), costtest.Processor()
		for ctx.Err() == nil {
			asked := time.Now()
			_, err := store.Tasks.StarTasks(b.Context(), viewer, []int64{1 + rand.Int64N(int64(n))}, len(waits)%2 == 0)
			must(b, err)
			waits = append(waits, time.Since(asked))
			time.Sleep(20 * time.Millisecond)
		}
		must(b, work.Wait())
		spent, elapsed := costtest.Processor()-before, time.Since(began)
		stop()
		slices.Sort(waits)
		b.ReportMetric(waits[len(waits)-1].Seconds(), "s-longest")
		b.ReportMetric(1000*waits[len(waits)/2].Seconds(), "ms-median")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
	}
}

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
		s := &slowFiles{punctual{
			random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{},
			takes: func(*rand.Rand) time.Duration { return time.Until(end) },
		}}
		store, start := newWatched(b, s)
		stop := start()
		var tasks []db.Task
		for range videos {
			t := db.Task{
				UserID: 1, FormToken: secrets.NewToken(),
				Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"}, CreatedAt: db.Now(),
			}
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
