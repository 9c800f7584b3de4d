package press_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/handlers/handlerstest"
	"dailies/handlers/press"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/scopetest"
)

// A pair is two processes on one database: one accepts submissions but sends nothing,
// the other sends the videos.
type pair struct {
	*handlerstest.Server
	person *handlerstest.Browser
}

// newPair starts both processes, the first with the database URL one and the second
// with the URL other.
func newPair(tb testing.TB, one, other string) pair {
	tb.Helper()
	h := handlerstest.NewOn(tb, one)
	s, err := store.Open(tb.Context(), other)
	must(tb, err)
	must(tb, s.Enter(tb.Context(), false))
	results, err := fetch.NewClient(false, fetch.Trust{Base: handlerstest.SandboxBase, Transport: h.Sandbox})
	must(tb, err)
	sends := watch.New(watch.Config{
		Store: s, Media: h.Config.Media, Services: h.Registry,
		Catalog: h.Config.Catalog, Vault: h.Config.Vault, Fetch: results, Poll: time.Second, Log: h.Config.Log,
	})
	deaf := func(error) {}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = h.Sandbox.Run(ctx) })
	running.Go(func() { _ = sends.Run(ctx) })
	running.Go(func() {
		_ = s.Listen(ctx, store.Listener{Queued: sends.Wake, Answered: func(context.Context, int64) {}, Deaf: deaf})
	})
	running.Go(func() {
		_ = h.Store.Listen(ctx, store.Listener{Queued: func() {}, Answered: h.App.Answered, Deaf: deaf})
	})
	tb.Cleanup(func() {
		stop()
		handlerstest.Ends(tb, "the work", running.Wait)
		must(tb, s.Close())
	})
	return pair{h, h.Founder(tb)}
}

// press submits a video and returns how long it took until the other process began to
// send it.
func (p pair) press(tb testing.TB) time.Duration {
	tb.Helper()
	began := time.Now()
	p.person.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
	var task db.Task
	handlerstest.Eventually(tb, "the video is sent", func() bool {
		tasks, err := p.Store.Tasks.LatestTasks(tb.Context(), 1, 1)
		must(tb, err)
		task = tasks[0]
		return !task.SentAt.IsZero()
	})
	return task.SentAt.Sub(began)
}

// median returns the median of that time over several submissions.
func (p pair) median(tb testing.TB, presses int) time.Duration {
	tb.Helper()
	took := make([]time.Duration, presses)
	for i := range took {
		took[i] = p.press(tb)
	}
	slices.Sort(took)
	return took[presses/2]
}

func TestAPressIsSentByAnotherProcess(t *testing.T) {
	scopetest.Whole(t)
	server := postgrestest.Need(t)
	address := func() string {
		address, err := server.Database(t.Context())
		must(t, err)
		return address
	}
	// Here the database is not polled for the outcome of a submission: the response
	// comes only because the other process signals it.
	t.Run("which hears of it", func(t *testing.T) {
		press.AwaitOnlyNotices(t)
		direct := address()
		t.Logf("sent %v after the press (median)", newPair(t, direct, direct).median(t, 3))
	})
	t.Run("which hears of it past a pooler", func(t *testing.T) {
		press.AwaitOnlyNotices(t)
		direct := address()
		both := postgrestest.NeedPooler(t, server).Behind(direct) + " " + direct
		t.Logf("sent %v after the press (median)", newPair(t, both, both).median(t, 3))
	})
	t.Run("which looks for it behind a pooler", func(t *testing.T) {
		behind := postgrestest.NeedPooler(t, server).Behind(address())
		t.Logf("sent %v after the press", newPair(t, behind, behind).press(t))
	})
}

// BenchmarkPressSentByAnother measures the median time from a submission until
// another process begins to send it. Each submission follows the response to the
// previous one. Without a direct address, the other process has then just polled the
// database, so that the wait is longer than for a submission at a random time.
//
//	go test -run ^$ -bench PressSentByAnother -benchtime 40x ./handlers/press
func BenchmarkPressSentByAnother(b *testing.B) {
	server := postgrestest.Need(b)
	pooler := postgrestest.NeedPooler(b, server)
	for _, c := range []struct {
		name  string
		place func(string) string
	}{
		{"direct", func(address string) string { return address }},
		{"pooler", pooler.Behind},
		{"pooler and direct", func(address string) string { return pooler.Behind(address) + " " + address }},
	} {
		b.Run(c.name, func(b *testing.B) {
			address, err := server.Database(b.Context())
			must(b, err)
			p := newPair(b, c.place(address), c.place(address))
			b.ResetTimer()
			b.ReportMetric(p.median(b, b.N).Seconds()*1000, "ms-median")
		})
	}
}
