package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
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
		began, before := time.Now(), handlerstest.Processor()
		var work errgroup.Group
		for _, s := range stores {
			w := watch.New(watch.Config{
				Store: s, Media: files, Services: only{videoapi.NewClient(far, &http.Client{Transport: fetch.Service(watch.Calls())})}, Catalog: videoapi.DefaultCatalog(),
				Vault: vault, Fetch: results, Poll: 3 * time.Second, Log: slog.New(slog.DiscardHandler),
			})
			work.Go(func() error { return w.Run(ctx) })
			work.Go(func() error { return s.Stay(ctx) })
		}
		must(b, work.Wait())
		spent, elapsed := handlerstest.Processor()-before, time.Since(began)
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
		t := db.Task{UserID: 1, FormToken: fmt.Sprint(i), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: now}
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
