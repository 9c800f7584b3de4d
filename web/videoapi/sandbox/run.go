package sandbox

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// How Run waits when it has nothing to do, and when the database fails.
const (
	idle  = time.Minute
	retry = time.Second
)

// Run works on the tasks, one at a time, until ctx ends, and then returns nil.
// A task that it was rendering starts again with the next Run.
func (s *Sandbox) Run(ctx context.Context) error {
	if !s.running.TryLock() {
		return errors.New("sandbox: it runs already")
	}
	defer s.running.Unlock()
	for ctx.Err() == nil {
		wait, err := s.round(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("sandbox: round", "err", err)
			wait = retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// nudge tells Run to look again.
func (s *Sandbox) nudge() {
	select {
	case s.wake <- struct{}{}:
	default: // it will
	}
}

// round does the next thing, if it is time, and says how long to wait.
func (s *Sandbox) round(ctx context.Context) (time.Duration, error) {
	j, ok, err := s.nextJob(ctx)
	if err != nil || !ok {
		return idle, err
	}
	if wait := time.Until(j.dueAt); wait > 0 {
		return min(wait, idle), nil
	}
	return 0, s.work(ctx, j)
}

// work does what is due: it begins, ends or renders the job.
func (s *Sandbox) work(ctx context.Context, j job) error {
	if j.state == waiting {
		if err := s.startJob(ctx, j, db.Now().Add(s.hold(j))); err != nil || j.held() {
			return err
		}
	}
	switch j.spec.End {
	case videoapi.Failed:
		return s.endJob(ctx, j, failed, askedToFail)
	case videoapi.Canceled:
		return s.endJob(ctx, j, canceled, askedToCancel)
	}
	return s.finish(ctx, j)
}

// hold returns how long a job stays in processing before it does anything.
func (s *Sandbox) hold(j job) time.Duration {
	switch {
	case j.spec.Slow:
		return s.pace.Slow
	case j.spec.End != "":
		return s.pace.Moment
	}
	return 0
}

// finish renders the job and ends it.
func (s *Sandbox) finish(ctx context.Context, j job) error {
	begun := time.Now()
	err := s.render(ctx, j)
	if ctx.Err() != nil {
		return ctx.Err() // it starts again when Run does
	}
	if reason := new(failure); errors.As(err, &reason) {
		s.log.Info("sandbox: task failed", "job", j.id, "reason", reason.reason)
		return s.endJob(ctx, j, failed, reason.reason)
	}
	if err != nil {
		s.log.Error("sandbox: render", "job", j.id, "err", err)
		return s.endJob(ctx, j, failed, "The sandbox could not render this video.")
	}
	s.log.Info("sandbox: video rendered", "job", j.id, "seconds", j.spec.Seconds, "resolution", j.spec.Resolution, "took", time.Since(begun))
	return s.endJob(ctx, j, done, "")
}
