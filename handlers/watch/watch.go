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
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/web/videoapi"
)

// A Watcher carries every task to its end.
type Watcher struct {
	Store   *store.Store
	Media   *media.Store
	Service *videoapi.Client
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Fetch   *http.Client  // guarded; gets the results
	Poll    time.Duration // shortest pause between two questions about one task
	// MostAsked bounds the questions about all tasks together, per second; 0 is 400.
	MostAsked int
	Log       *slog.Logger
	Calls     *prometheus.CounterVec // calls to the service by "call" and "outcome"; may be nil
	Settled   func(db.Task)          // is told of every task that was taken a step further; may be nil
	KeepMax   int64                  // bytes that the kept files may be together; 0 is no bound
	// Aside is the folder for answers to create calls that the database does
	// not take. Without it they live as long as the process.
	Aside string
	// OnFull frees room on the disk that is held in reserve for such answers,
	// and reports whether there was any; may be nil.
	OnFull func() bool
	Free   func() (int64, error) // bytes free on the disk; nil asks the disk of Media

	owner    string
	wake     chan struct{} // somebody waits: look at once
	mended   time.Time
	hint     chan struct{}   // something may be due earlier than was known
	stopping <-chan struct{} // closed when Run is asked to end
	crew     crew
	booked   bookings
	paces    paces
}

const (
	// A lease is renewed while the work goes on, so it may be short: another
	// process can take over soon after this one died.
	lease = 30 * time.Second

	// idle bounds the wait between two looks into the database, where another
	// process may have put work.
	idle = time.Second

	// breath is the least time between two looks for which nobody waits, so
	// that what comes due close together is claimed together.
	breath = 20 * time.Millisecond

	// crowded is the least time between two looks without a wake while every
	// place for one kind of work is taken.
	crowded = 250 * time.Millisecond

	// unstick is how often it is looked for what a clock that was wrong keeps
	// waiting.
	unstick = 30 * time.Second

	// restart is the pause before a start that could not write is tried again.
	restart = 2 * time.Second

	// grace is how long calls that have begun may still take when the program
	// is asked to stop: an answer that is waited for is an answer not lost.
	grace = 4 * time.Second
)

// Prepare makes the watcher ready. It must be called once, before Run or Wake.
func (w *Watcher) Prepare() {
	w.owner = rand.Text()
	w.wake = make(chan struct{}, 1)
	w.hint = make(chan struct{}, 1)
}

// Wake makes Run look at once. It never blocks.
func (w *Watcher) Wake() { signal(w.wake) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run works until ctx ends. It first settles what an earlier process left
// half-done.
func (w *Watcher) Run(ctx context.Context) error {
	// Calls outlive ctx by the grace, so that a stop loses no answer.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	w.stopping = ctx.Done()
	w.begin(ctx, calls)
	for ctx.Err() == nil {
		w.mend(ctx)
		if err := w.handOut(ctx, calls); err != nil && ctx.Err() == nil {
			w.Log.Error("cannot read what is due", "err", err)
			sleep(ctx, idle, nil) // what is due stays due: without this it would be tried all the time
			continue
		}
		w.rest(ctx)
	}
	stop := time.AfterFunc(grace, cancel)
	defer stop.Stop()
	w.crew.Wait()
	return nil
}

// begin settles what an earlier process left half-done: first with the answers
// that it noted, and what is left as lost. On a disk that is full it tries
// until it can.
func (w *Watcher) begin(ctx, life context.Context) {
	noted := w.adopt(ctx)
	ids := make([]int64, len(noted))
	for i, n := range noted {
		ids[i] = n.Reply.TaskID
	}
	for ctx.Err() == nil {
		lost, err := w.Store.Recover(ctx, db.Now(), ids...)
		if err == nil {
			if lost > 0 {
				w.Log.Warn("the last stop cut off create calls; their makers are asked what to do", "videos", lost)
			}
			break
		}
		if ctx.Err() == nil {
			w.Log.Error("cannot settle what the last stop left; it is tried again", "err", err)
		}
		if full(err) {
			w.makeRoom()
		}
		sleep(ctx, restart, nil)
	}
	for _, n := range noted {
		w.resume(life, n)
	}
}

// mend looks now and then for what would wait for ever.
func (w *Watcher) mend(ctx context.Context) {
	if time.Since(w.mended) < unstick {
		return
	}
	w.mended = time.Now()
	longest := max(2*time.Hour, 25*w.Poll) // with room to spare
	found, err := w.Store.Unstick(ctx, db.Now(), longest, lease, w.crew.room().Held)
	if err != nil && ctx.Err() == nil {
		w.Log.Error("cannot look for what is stuck", "err", err)
	}
	if found != (store.Stuck{}) {
		w.Log.Warn("some work waited for a time that a wrong clock had set, or for a call that nobody makes",
			"due now", found.Early, "leases", found.Leases, "unconfirmed", found.Lost)
	}
}

// handOut claims as much as there is room for, and sets the crew to it. Calls of
// the service live as long as life does.
func (w *Watcher) handOut(ctx, life context.Context) error {
	tasks, err := w.Store.Claim(ctx, w.owner, db.Now(), db.Now().Add(lease), w.crew.room())
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	for _, t := range tasks {
		w.crew.take(t.ID, kindOf(t))
		life := life
		if kindOf(t) == keeping {
			life = ctx // a copy can be made again: a stop does not wait for it
		}
		w.crew.Go(func() {
			w.work(life, t)
			w.crew.leave(t.ID)
			if kindOf(t) == sending {
				w.Wake() // the next one of its key waits for this
				return
			}
			signal(w.hint) // when it is due again, or who waits for the place, is known now
		})
	}
	return nil
}

// rest waits until something is due, somebody wakes it, or the idle time is
// over. A wake is followed at once; for anything else it takes a breath first.
func (w *Watcher) rest(ctx context.Context) {
	select {
	case <-w.wake:
		return
	default:
	}
	wait := idle
	if next, err := w.Store.NextDue(ctx); err == nil && !next.IsZero() {
		wait = min(wait, time.Until(next))
	}
	if w.crew.room().LacksSome() {
		wait = max(wait, crowded) // what is due may have to wait for a place, and that gives a hint
	}
	breathed := time.NewTimer(breath)
	defer breathed.Stop()
	due := time.NewTimer(max(wait, breath))
	defer due.Stop()
	select {
	case <-ctx.Done():
	case <-w.wake:
	case <-due.C:
	case <-w.hint:
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-breathed.C:
		}
	}
}

// sleep waits for the time, the end of ctx, or a wake.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

// work takes one claimed task a step further. It holds the lease meanwhile, and
// leaves the task alone when another process has it.
func (w *Watcher) work(life context.Context, t db.Task) {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	go w.holdLease(ctx, t.ID, cancel)
	w.learn(ctx, t)
	var err error
	switch t.State {
	case db.Queued:
		err = w.send(ctx, life, t)
	case db.Pending, db.Processing:
		err = w.ask(ctx, t)
	case db.Success:
		err = w.keep(ctx, t)
	}
	if w.Settled != nil {
		w.Settled(t)
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
