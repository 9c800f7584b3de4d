// Package watch does the background work that runs on a timer: it sends queued tasks,
// queries the service about running ones, and copies finished videos to where they are
// kept. It needs no open browser, and stores everything that must survive a restart in
// the database.
//
// A task is one video that a user has asked for. Its files are videos and a cover, which
// is a still picture. Keeping a file means to have our own copy of it, because the
// service's links expire. A process holds a lease on a task while it works on it, so that
// several processes can share one database.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/web/videoapi"
)

// A Watcher carries every task from queued to its final state and keeps its files.
// New returns a usable one.
type Watcher struct {
	Config

	owner       string        // the name under which this process holds leases
	wake        chan struct{} // receives when a user is waiting, so that Run looks for work immediately
	hint        chan struct{} // receives when a task may be due earlier than NextDue said
	lastUnstick time.Time     // when unstick last ran
	lastStopped time.Time     // when settleStopped last looked
	keyFreesAt  time.Time     // when the next key is freed whose process has stopped; zero if there is none
	idleRounds  int           // consecutive rounds that found no work
	pool        workerPool

	turns schedule.Turns // used by dispatch only

	recorder recorder
	rate     queryRate
	paces    paceCache
	intents  intents
	sender   sender
	querier  querier
	keeper   keeper
}

// Services reaches the services that videos are sent to.
type Services interface {
	// Client returns the client for the service with the ID. If the service cannot be called
	// now, the error is a *videoapi.Error.
	Client(ctx context.Context, id int64) (*videoapi.Client, error)
}

// Config holds a Watcher's dependencies and settings.
type Config struct {
	Store    *store.Store
	Media    *media.Store
	Services Services
	Catalog  *videoapi.Catalog
	Vault    *secrets.Vault
	Fetch    *http.Client  // refuses private addresses; downloads the results
	Poll     time.Duration // minimum interval between two queries for the same task
	// Queries limits the status queries per second of all processes on the database
	// together; 0 means 400.
	Queries int
	Log     *slog.Logger
	// Called counts a call to the service by its kind and outcome. It may be nil.
	Called func(call, outcome string)
	// Settled is called after every step of a task. It may be nil, and must be set
	// before Run.
	Settled func(db.Task)
	KeepMax int64 // limit in bytes for all kept files together; 0 means no limit
	// Aside is the folder in which answers to create calls are stored while the
	// database cannot store them. If it is empty, such answers are lost when the
	// process ends.
	Aside string
	// OnFull frees disk space that is reserved for such answers, and reports whether
	// there was any. It may be nil.
	OnFull func() bool
	// Free returns the free bytes on the disk; if it is nil, Media.Free is used.
	Free func() (int64, error)

	outages *outages
}

const (
	// idle is the longest wait between two rounds: another process may have queued
	// work in the database meanwhile.
	idle = time.Second

	// minWait is the shortest wait between two rounds when no user is waiting, so
	// that tasks that become due close together are claimed together.
	minWait = 20 * time.Millisecond

	// longestLook is the longest wait between two rounds while tasks are due that
	// cannot be claimed.
	longestLook = 250 * time.Millisecond

	// unstickEvery is the interval at which unstick looks for tasks that a wrong
	// clock has postponed too far.
	unstickEvery = 30 * time.Second

	// restart is the pause before begin tries again after a write that failed.
	restart = 2 * time.Second

	// grace is how long calls that have begun may still take after the program is
	// asked to stop, so that their answers are not lost.
	grace = 4 * time.Second
)

// New returns a watcher that does nothing until Run.
func New(c Config) *Watcher {
	c.Queries = cmp.Or(c.Queries, defaultQueries)
	if c.Free == nil {
		c.Free = c.Media.Free
	}
	w := &Watcher{Config: c, owner: c.Store.Process(), wake: make(chan struct{}, 1), hint: make(chan struct{}, 1)}
	w.outages = &outages{log: c.Log}
	w.recorder = recorder{Config: &w.Config, pool: &w.pool, wake: w.Wake}
	w.paces, w.rate = paceCache{Config: &w.Config}, queryRate{Config: &w.Config}
	w.intents = intents{Config: &w.Config}
	w.sender = sender{&w.Config, &w.recorder, &w.paces, &w.intents}
	w.querier = querier{&w.Config, &w.recorder, &w.paces, &w.rate}
	w.keeper = keeper{Config: &w.Config, querier: &w.querier, hosts: &w.pool.hosts}
	return w
}

// Wake makes Run look for work immediately. It never blocks.
func (w *Watcher) Wake() { signal(w.wake) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run works until ctx ends. It first settles the calls that an earlier process left
// unfinished.
func (w *Watcher) Run(ctx context.Context) error {
	// Calls may outlive ctx by the grace period, so that a stop loses no answer.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	w.recorder.stopping = ctx.Done()
	w.begin(ctx, calls)
	for ctx.Err() == nil {
		w.unstick(ctx)
		w.recordStopped(ctx)
		w.outages.look()
		w.intents.sweep(ctx)
		if err := w.dispatch(ctx, calls); err != nil && ctx.Err() == nil {
			w.Log.Error("cannot read what is due", "err", err)
			sleep(ctx, idle) // prevents a busy loop: the due tasks are still due
			continue
		}
		w.rest(ctx)
	}
	stop := time.AfterFunc(grace, cancel)
	defer stop.Stop()
	w.pool.Wait()
	w.intents.close()
	return nil
}

// begin settles the create calls that ended processes left unfinished: those whose
// answer was noted on this disk with that answer, and all others as lost. If the disk
// is full, it retries until the write succeeds.
func (w *Watcher) begin(ctx, life context.Context) {
	w.intents.recall(ctx)
	noted := w.recorder.applyNotes(ctx)
	ids := make([]int64, len(noted))
	for i, n := range noted {
		ids[i] = n.Reply.TaskID
	}
	for ctx.Err() == nil {
		lost, err := w.Store.Leases.Recover(ctx, w.Store.Now(), ids...)
		if err == nil {
			if len(lost) > 0 {
				w.Log.Warn("a stop cut off create calls; their makers are asked what to do", "videos", len(lost))
			}
			w.tellUnconfirmed(ctx, lost)
			break
		}
		if ctx.Err() == nil {
			w.Log.Error("cannot settle what the last stop left; it is tried again", "err", err)
		}
		if full(err) {
			w.recorder.freeSpace()
		}
		sleep(ctx, restart)
	}
	for _, n := range noted {
		w.recorder.resume(life, n)
	}
}

// unstick looks every unstickEvery for tasks that would otherwise wait for ever.
func (w *Watcher) unstick(ctx context.Context) {
	if time.Since(w.lastUnstick) < unstickEvery {
		return
	}
	w.lastUnstick = time.Now()
	longest := max(2*time.Hour, 25*w.Poll) // longer than any regular pause
	found, err := w.Store.Unstick(ctx, w.owner, w.Store.Now(), longest, leaseTime, w.pool.capacity().Held)
	if err != nil && ctx.Err() == nil {
		w.Log.Error("cannot look for what is stuck", "err", err)
	}
	if found.Early+found.Leases > 0 {
		w.Log.Warn("some work waited for a time that a wrong clock had set", "due now", found.Early, "leases", found.Leases)
	}
	if len(found.Lost) > 0 {
		w.Log.Warn("some videos waited for a create call that nobody makes any more; their makers are asked what to do",
			"videos", len(found.Lost))
	}
	w.tellUnconfirmed(ctx, found.Lost)
}

// dispatch claims as many tasks as the pool can take and starts a worker for each.
// Calls to the service may run until life ends.
func (w *Watcher) dispatch(ctx, life context.Context) error {
	now, asked := w.Store.Now(), time.Now()
	w.rate.share(ctx)
	tasks, err := w.Store.Leases.Claim(ctx, w.owner, now, now.Add(leaseTime), w.capacity())
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if w.idleRounds++; len(tasks) > 0 {
		w.idleRounds = 0
	}
	for _, t := range tasks {
		w.pool.takeTask(t)
		if kindOf(t) == querying {
			w.rate.spend(1)
		}
		life := life
		if kindOf(t) == keeping {
			life = ctx // a copy can be made again, so a stop does not wait for it
		}
		w.pool.Go(func() {
			w.work(life, t, asked.Add(leaseTime))
			w.pool.release(t.ID)
			if kindOf(t) == sending && w.moreToSend(life) {
				w.Wake() // the next task with the same key was waiting for this one
				return
			}
			signal(w.hint) // the task's next due time is known now, and a worker is free
		})
	}
	return nil
}

// capacity returns what the pool can take, with no more queries than may be made now.
func (w *Watcher) capacity() schedule.Capacity {
	c := w.pool.capacity()
	c.Query, c.Turns = min(c.Query, w.rate.available()), &w.turns
	return c
}

// moreToSend reports whether a task may be waiting to be sent. Asking is much cheaper
// than a claim that finds nothing.
func (w *Watcher) moreToSend(ctx context.Context) bool {
	queued, err := w.Store.Tasks.HasQueued(ctx)
	return queued || err != nil
}

// rest waits until a task is due, Wake is called or the idle time is over. It returns
// at once after a Wake, and otherwise waits for at least minWait.
func (w *Watcher) rest(ctx context.Context) {
	select {
	case <-w.wake:
		return
	default:
	}
	wait, free := idle, w.capacity()
	if next, err := w.Store.Leases.NextDue(ctx, free); err == nil && !next.IsZero() {
		wait = min(wait, next.Sub(w.Store.Now()))
	}
	if !w.keyFreesAt.IsZero() {
		wait = min(wait, w.keyFreesAt.Sub(w.Store.Now())+time.Millisecond)
	}
	if wait <= 0 { // another process may block the due tasks: look less and less often
		wait = min(minWait<<min(w.idleRounds, 4), longestLook)
	}
	if free.Query == 0 && w.pool.capacity().Query > 0 { // a worker that becomes free sends a hint
		wait = min(wait, max(w.rate.wait(), minWait))
	}
	began, due := time.Now(), time.NewTimer(max(wait, minWait))
	defer due.Stop()
	select {
	case <-ctx.Done():
	case <-w.wake:
	case <-due.C:
	case <-w.hint:
		left := minWait - time.Since(began)
		if left <= 0 {
			return
		}
		atLeast := time.NewTimer(left)
		defer atLeast.Stop()
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-atLeast.C:
		}
	}
}

// work takes a claimed task one step further. It holds the task's lease, which
// initially lasts until the given time, and stops if another process takes the task
// over.
func (w *Watcher) work(life context.Context, t db.Task, until time.Time) {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	go w.holdLease(ctx, t.ID, until, cancel)
	w.paces.load(ctx, t)
	err := survive(func() error {
		switch t.State {
		case db.Queued:
			return w.sender.send(ctx, life, t)
		case db.Pending, db.Processing:
			return w.querier.queryProgress(ctx, t)
		case db.Success:
			return w.keeper.keep(ctx, t)
		}
		return nil
	})
	if w.Settled != nil {
		w.Settled(t)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Error("a step did not work; it will be taken again", "task", t.ID, "state", t.State, "err", err)
	}
}

// survive returns the error of do, or a panic in it as an error, so that data of one task
// that nobody expected does not stop the work on all others.
func survive(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// count adds a call to the service to the metrics, by its outcome.
func (c *Config) count(call string, err error) {
	if c.Called == nil {
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
	c.Called(call, outcome)
}
