// Package watch does the background work that runs on a timer: it sends queued
// tasks, asks the service about running ones, and copies finished videos. It
// needs no open browser, and keeps everything that it must remember in the
// database.
package watch

import (
	"cmp"
	"context"
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

// A Watcher carries every task to its end. New makes one.
type Watcher struct {
	Config

	owner   string        // of the leases
	wake    chan struct{} // somebody waits: look at once
	hint    chan struct{} // something may be due earlier than was known
	unstuck time.Time     // when it was last looked for what is stuck
	vain    int           // looks one after another that found nothing to take on
	pool    workerPool

	settler settler
	paces   paceCache
	sender  sender
	asker   asker
	keeper  keeper
}

// Config holds what a Watcher works with.
type Config struct {
	Store   *store.Store
	Media   *media.Store
	Service *videoapi.Client
	Catalog *videoapi.Catalog
	Vault   *db.Vault
	Fetch   *http.Client  // guarded; gets the results
	Poll    time.Duration // shortest pause between two questions about one task
	// MostAsked bounds the questions about all tasks together, per second; 0
	// means 400.
	MostAsked int
	Log       *slog.Logger
	Calls     *prometheus.CounterVec // calls to the service by "call" and "outcome"; may be nil
	// Settled is told of every task that was taken a step further. It may be nil,
	// and is set before Run.
	Settled func(db.Task)
	KeepMax int64 // bytes that the kept files may take together; 0 means no bound
	// Aside is the folder for answers to create calls that the database does
	// not take. Without it they live as long as the process.
	Aside string
	// OnFull frees room on the disk that is held in reserve for such answers,
	// and reports whether there was any; may be nil.
	OnFull func() bool
	// Free returns the bytes that are free on the disk; nil asks the disk of
	// Media.
	Free func() (int64, error)
}

const (
	// idle bounds the wait between two looks into the database, where another
	// process may have put work.
	idle = time.Second

	// breath is the least time between two looks for which nobody waits, so
	// that what comes due close together is claimed together.
	breath = 20 * time.Millisecond

	// crowded is the least time between two looks without a wake while every
	// place for one kind of work is taken.
	crowded = 250 * time.Millisecond

	// unstickEvery is how often it is looked for what a clock that was wrong
	// keeps waiting.
	unstickEvery = 30 * time.Second

	// restart is the pause before a start that could not write is tried again.
	restart = 2 * time.Second

	// grace is how long calls that have begun may still take when the program
	// is asked to stop: an answer that is waited for is an answer not lost.
	grace = 4 * time.Second
)

// New returns a watcher that does nothing until Run.
func New(c Config) *Watcher {
	c.MostAsked = cmp.Or(c.MostAsked, defaultMostAsked)
	if c.Free == nil {
		c.Free = c.Media.Free
	}
	w := &Watcher{Config: c, owner: c.Store.Process(), wake: make(chan struct{}, 1), hint: make(chan struct{}, 1)}
	w.settler = settler{Config: &w.Config, pool: &w.pool, wake: w.Wake}
	w.paces = paceCache{Config: &w.Config}
	w.sender = sender{&w.Config, &w.settler, &w.paces}
	w.asker = asker{&w.Config, &w.settler, &w.paces}
	w.keeper = keeper{Config: &w.Config, asker: &w.asker}
	return w
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
	w.settler.stopping = ctx.Done()
	w.begin(ctx, calls)
	for ctx.Err() == nil {
		w.unstick(ctx)
		if err := w.handOut(ctx, calls); err != nil && ctx.Err() == nil {
			w.Log.Error("cannot read what is due", "err", err)
			sleep(ctx, idle) // what is due stays due: without this it would be tried all the time
			continue
		}
		w.rest(ctx)
	}
	stop := time.AfterFunc(grace, cancel)
	defer stop.Stop()
	w.pool.Wait()
	return nil
}

// begin settles what processes that are gone left half-done: first with the answers
// that one noted here, and what is left as lost. On a disk that is full it tries
// until it can.
func (w *Watcher) begin(ctx, life context.Context) {
	noted := w.settler.adopt(ctx)
	ids := make([]int64, len(noted))
	for i, n := range noted {
		ids[i] = n.Reply.TaskID
	}
	for ctx.Err() == nil {
		lost, err := w.Store.Recover(ctx, w.Store.Now(), ids...)
		if err == nil {
			if lost > 0 {
				w.Log.Warn("a stop cut off create calls; their makers are asked what to do", "videos", lost)
			}
			break
		}
		if ctx.Err() == nil {
			w.Log.Error("cannot settle what the last stop left; it is tried again", "err", err)
		}
		if full(err) {
			w.settler.makeRoom()
		}
		sleep(ctx, restart)
	}
	for _, n := range noted {
		w.settler.resume(life, n)
	}
}

// unstick looks now and then for what would wait for ever.
func (w *Watcher) unstick(ctx context.Context) {
	if time.Since(w.unstuck) < unstickEvery {
		return
	}
	w.unstuck = time.Now()
	longest := max(2*time.Hour, 25*w.Poll) // with room to spare
	found, err := w.Store.Unstick(ctx, w.owner, w.Store.Now(), longest, leaseTime, w.pool.capacity().Held)
	if err != nil && ctx.Err() == nil {
		w.Log.Error("cannot look for what is stuck", "err", err)
	}
	if found != (store.Stuck{}) {
		w.Log.Warn("some work waited for a time that a wrong clock had set, or for a call that nobody makes",
			"due now", found.Early, "leases", found.Leases, "unconfirmed", found.Lost)
	}
}

// handOut claims as much as the pool can take on, and starts workers for it.
// Calls of the service live as long as life does.
func (w *Watcher) handOut(ctx, life context.Context) error {
	now, asked := w.Store.Now(), time.Now()
	tasks, err := w.Store.Claim(ctx, w.owner, now, now.Add(leaseTime), w.pool.capacity())
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if w.vain++; len(tasks) > 0 {
		w.vain = 0
	}
	for _, t := range tasks {
		w.pool.take(t.ID, kindOf(t))
		life := life
		if kindOf(t) == keeping {
			life = ctx // a copy can be made again: a stop does not wait for it
		}
		w.pool.Go(func() {
			w.work(life, t, asked.Add(leaseTime))
			w.pool.release(t.ID)
			if kindOf(t) == sending && w.moreToSend(life) {
				w.Wake() // the next one of its key waits for this
				return
			}
			signal(w.hint) // when it is due again, or who waits for the place, is known now
		})
	}
	return nil
}

// moreToSend reports whether a task may be waiting to be sent. A claim that finds
// nothing costs far more than to ask.
func (w *Watcher) moreToSend(ctx context.Context) bool {
	queued, err := w.Store.HasQueued(ctx)
	return queued || err != nil
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
		wait = min(wait, next.Sub(w.Store.Now()))
	}
	if wait <= 0 { // another process may hold up what is due: look for it less and less often
		wait = min(breath<<min(w.vain, 4), crowded)
	}
	if w.pool.capacity().LacksSome() {
		wait = max(wait, crowded) // what is due may have to wait for a place, and that gives a hint
	}
	began, due := time.Now(), time.NewTimer(max(wait, breath))
	defer due.Stop()
	select {
	case <-ctx.Done():
	case <-w.wake:
	case <-due.C:
	case <-w.hint:
		left := breath - time.Since(began)
		if left <= 0 {
			return
		}
		breathed := time.NewTimer(left)
		defer breathed.Stop()
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-breathed.C:
		}
	}
}

// work takes one claimed task a step further. It holds the lease meanwhile, which
// first lasts until the time, and leaves the task alone when another process has it.
func (w *Watcher) work(life context.Context, t db.Task, until time.Time) {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	go w.holdLease(ctx, t.ID, until, cancel)
	w.paces.load(ctx, t)
	var err error
	switch t.State {
	case db.Queued:
		err = w.sender.send(ctx, life, t)
	case db.Pending, db.Processing:
		err = w.asker.askProgress(ctx, t)
	case db.Success:
		err = w.keeper.keep(ctx, t)
	}
	if w.Settled != nil {
		w.Settled(t)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Error("a step did not work; it will be taken again", "task", t.ID, "state", t.State, "err", err)
	}
}

// count counts a call to the service by its outcome.
func (c *Config) count(call string, err error) {
	if c.Calls == nil {
		return
	}
	outcome := "ok"
	if err != nil {
		kind := videoapi.Transport
		if e := new(videoapi.Error); errors.As(err, &e) {
			kind = e.Kind
		}
		outcome = kind.String()
	}
	c.Calls.WithLabelValues(call, outcome).Inc()
}
