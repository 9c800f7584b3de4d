package watch_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
	"dailies/web/videoapi"
)

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
		began, before := time.Now(), handlerstest.Processor()
		for ctx.Err() == nil {
			asked := time.Now()
			_, err := store.Tasks.StarTasks(b.Context(), viewer, []int64{1 + rand.Int64N(int64(n))}, len(waits)%2 == 0)
			must(b, err)
			waits = append(waits, time.Since(asked))
			time.Sleep(20 * time.Millisecond)
		}
		must(b, work.Wait())
		spent, elapsed := handlerstest.Processor()-before, time.Since(began)
		stop()
		slices.Sort(waits)
		b.ReportMetric(waits[len(waits)-1].Seconds(), "s-longest")
		b.ReportMetric(1000*waits[len(waits)/2].Seconds(), "ms-median")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
	}
}
