// Package watch is what Dailies does when the clock ticks: it sends what
// waits, asks about what runs, and keeps what is done. It needs no browser to
// be open, and everything that it must remember is in the database.
package watch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/sqlite"
	"dailies/web/videoapi"
)

// A Watcher carries every task to its end.
type Watcher struct {
	Store   *sqlite.Store
	Media   *media.Store
	Service *videoapi.Client
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Fetch   *http.Client  // guarded; gets the results
	Poll    time.Duration // shortest pause between two questions about one task
	Log     *slog.Logger
	Calls   *prometheus.CounterVec // calls to the service by "call" and "outcome"; may be nil

	owner string
	wake  chan struct{}
	keeps chan struct{}
}

const (
	atOnce = 128 // tasks worked on at the same time
	copies = 4   // of them copying files

	// A lease is renewed while the work goes on, so it may be short: another
	// process can take over soon after this one died.
	lease = 30 * time.Second

	// idle bounds the wait between two looks into the database, where another
	// process may have put work.
	idle = time.Second

	// grace is how long calls that have begun may still take when the program
	// is asked to stop: an answer that is waited for is an answer not lost.
	grace = 10 * time.Second
)

// Prepare makes the watcher ready. It must be called once, before Run, Round
// or Wake.
func (w *Watcher) Prepare() {
	w.owner = rand.Text()
	w.wake = make(chan struct{}, 1)
	w.keeps = make(chan struct{}, copies)
}

// Wake makes Run look at once. It never blocks.
func (w *Watcher) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends. It first settles what an earlier process left
// half-done.
func (w *Watcher) Run(ctx context.Context) error {
	lost, err := w.Store.Recover(ctx, db.Now())
	if ctx.Err() != nil {
		return nil // stopped before it began
	}
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if lost > 0 {
		w.Log.Warn("the last stop cut off create calls; their makers are asked what to do", "videos", lost)
	}
	// Calls outlive ctx by the grace, so that a stop loses no answer.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	slots := make(chan struct{}, atOnce)
	var working sync.WaitGroup
	for ctx.Err() == nil {
		tasks, err := w.Store.Claim(ctx, w.owner, db.Now(), db.Now().Add(lease), atOnce-len(slots))
		if err != nil && ctx.Err() == nil {
			w.Log.Error("cannot read what is due", "err", err)
		}
		for _, t := range tasks {
			slots <- struct{}{}
			working.Go(func() {
				defer func() { <-slots; w.Wake() }()
				w.work(calls, t)
			})
		}
		w.rest(ctx, len(tasks) > 0)
	}
	stop := time.AfterFunc(grace, cancel)
	defer stop.Stop()
	working.Wait()
	return nil
}

// Round works off what is due now and returns when it is done. Tests call it.
func (w *Watcher) Round(ctx context.Context) error {
	tasks, err := w.Store.Claim(ctx, w.owner, db.Now(), db.Now().Add(lease), atOnce)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	var working sync.WaitGroup
	for _, t := range tasks {
		working.Go(func() { w.work(ctx, t) })
	}
	working.Wait()
	return nil
}

// rest waits until something is due, somebody wakes it, or the idle time is
// over. When work was just handed out, more may be due at once.
func (w *Watcher) rest(ctx context.Context, busy bool) {
	wait := idle
	if next, err := w.Store.NextDue(ctx); err == nil && !next.IsZero() {
		wait = min(wait, time.Until(next))
	}
	// A short breath keeps a task that cannot be claimed from spinning.
	least := 20 * time.Millisecond
	if busy {
		least = time.Millisecond
	}
	timer := time.NewTimer(max(wait, least))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-w.wake:
	}
}

// work takes one claimed task a step further. It holds the lease meanwhile, and
// leaves the task alone when another process has it.
func (w *Watcher) work(life context.Context, t db.Task) {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	go w.holdLease(ctx, t.ID, cancel)
	var err error
	switch t.State {
	case db.Queued:
		err = w.send(ctx, life, t)
	case db.Pending, db.Processing:
		err = w.ask(ctx, t)
	case db.Success:
		err = w.keep(ctx, t)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Error("a step did not work; it will be taken again", "task", t.ID, "state", t.State, "err", err)
	}
}

// holdLease renews the lease until the work is done, or the lease is lost.
func (w *Watcher) holdLease(ctx context.Context, id int64, lost func()) {
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.Store.Renew(ctx, w.owner, id, db.Now().Add(lease)); errors.Is(err, db.ErrConflict) {
				lost()
				return
			}
		}
	}
}

func (w *Watcher) count(call, outcome string) {
	if w.Calls != nil {
		w.Calls.WithLabelValues(call, outcome).Inc()
	}
}
