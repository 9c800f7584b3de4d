package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web/videoapi"
)

// The time that Run waits if it has nothing to do, and after an error.
const (
	idle  = time.Minute
	retry = time.Second
)

// A worker carries out the jobs, one at a time.
type worker struct {
	jobs     jobs
	files    *fileStore
	pictures pictures
	pace     Pace
	log      *slog.Logger

	shrink  int
	longest time.Duration

	running sync.Mutex    // held by Run
	wake    chan struct{} // receives when a job was added
}

func newWorker(c Config, d *engine.DB, files *fileStore) *worker {
	return &worker{jobs: jobs{d}, files: files, pace: c.Pace, log: c.Log,
		shrink: c.Shrink, longest: c.Longest, wake: make(chan struct{}, 1)}
}

// Run works on the tasks, one at a time, until ctx ends, and then returns nil.
// A task that it was rendering starts again with the next Run.
func (w *worker) Run(ctx context.Context) error {
	if !w.running.TryLock() {
		return errors.New("sandbox: it runs already")
	}
	defer w.running.Unlock()
	for ctx.Err() == nil {
		wait, err := w.round(ctx)
		if err != nil && ctx.Err() == nil {
			w.log.Error("sandbox: round", "err", err)
			wait = retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// nudge makes Run look for jobs immediately.
func (w *worker) nudge() {
	select {
	case w.wake <- struct{}{}:
	default: // Run is about to look anyway
	}
}

// round does one step of the next job if it is due, and returns how long to wait.
func (w *worker) round(ctx context.Context) (time.Duration, error) {
	j, ok, err := w.jobs.next(ctx)
	if err != nil || !ok {
		return idle, err
	}
	if wait := time.Until(j.dueAt); wait > 0 {
		return min(wait, idle), nil
	}
	return 0, w.work(ctx, j)
}

// work starts, ends or renders a job that is due.
func (w *worker) work(ctx context.Context, j job) error {
	if j.state == waiting {
		if err := w.jobs.start(ctx, j, db.Now().Add(w.hold(j))); err != nil || j.held() {
			return err
		}
	}
	if j.spec.Face && len(j.spec.Pictures) > 0 {
		return w.jobs.end(ctx, j, failed, askedForFaces)
	}
	switch j.spec.End {
	case videoapi.Failed:
		return w.jobs.end(ctx, j, failed, askedToFail)
	case videoapi.Canceled:
		return w.jobs.end(ctx, j, canceled, askedToCancel)
	}
	return w.finish(ctx, j)
}

// hold returns how long a job stays in processing before it is rendered or
// ended.
func (w *worker) hold(j job) time.Duration {
	switch {
	case j.spec.Slow:
		return w.pace.Slow
	case j.spec.End != "":
		return w.pace.Moment
	}
	return 0
}

// finish renders the job and ends it.
func (w *worker) finish(ctx context.Context, j job) error {
	begun := time.Now()
	err := w.render(ctx, j)
	if ctx.Err() != nil {
		return ctx.Err() // the next Run starts it again
	}
	if reason := new(pictureError); errors.As(err, &reason) {
		w.log.Info("sandbox: task failed", "job", j.id, "reason", reason.reason)
		return w.jobs.end(ctx, j, failed, reason.reason)
	}
	if err != nil {
		w.log.Error("sandbox: render", "job", j.id, "err", err)
		return w.jobs.end(ctx, j, failed, "The sandbox could not render this video.")
	}
	w.log.Info("sandbox: video rendered", "job", j.id, "seconds", j.spec.Seconds, "resolution", j.spec.Resolution, "took", time.Since(begun))
	return w.jobs.end(ctx, j, done, "")
}
