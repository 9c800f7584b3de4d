package site

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// readyFor is how long a result is reused: anybody may request /readyz, and each
	// check writes to the disk.
	readyFor = 2 * time.Second

	// checkedFor limits a check. A check that takes longer has failed.
	checkedFor = 2 * time.Second
)

var errSlowCheck = errors.New("the disk or the database does not answer in time")

// Readiness caches the result of the check whether the program can write.
type Readiness struct {
	mu      sync.Mutex
	at      time.Time
	err     error
	running chan struct{} // closed when the check in progress ends; nil if there is none
}

// Check returns the result of writable, or a recent one. However many callers there
// are, only one call of writable is in progress; if that hangs, it is not repeated.
func (r *Readiness) Check(ctx context.Context, writable func(context.Context) error) error {
	r.mu.Lock()
	if r.running == nil && (r.at.IsZero() || time.Since(r.at) > readyFor) {
		r.running = make(chan struct{})
		go r.run(writable, r.running)
	}
	running, err := r.running, r.err
	r.mu.Unlock()
	if running == nil {
		return err
	}
	limit := time.NewTimer(checkedFor)
	defer limit.Stop()
	select {
	case <-running:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.err
	case <-limit.C:
		return errSlowCheck
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Readiness) run(writable func(context.Context) error, done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), checkedFor)
	defer cancel()
	err := writable(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.err, r.running = time.Now(), err, nil
	close(done)
}
