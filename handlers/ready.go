package handlers

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"dailies/db"
)

const (
	// readyFor is how long one answer to /readyz is given: everybody may ask,
	// and each check writes to the disk.
	readyFor = 2 * time.Second

	// checkedFor bounds a check. One that takes longer is not ready.
	checkedFor = 2 * time.Second
)

var errSlowCheck = errors.New("the disk or the database does not answer in time")

// readiness keeps the newest result of the check whether the program can write.
type readiness struct {
	mu      sync.Mutex
	at      time.Time
	err     error
	running chan struct{} // closed when the check under way is done; nil if none is
}

// check returns whether writable succeeds, or did so a moment ago. However many
// ask, it runs once at a time; one that hangs is waited for, not repeated.
func (r *readiness) check(ctx context.Context, writable func(context.Context) error) error {
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

func (r *readiness) run(writable func(context.Context) error, done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), checkedFor)
	defer cancel()
	err := writable(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.err, r.running = time.Now(), err, nil
	close(done)
}

// healthz answers as long as the process does. It asks nothing else, so that a
// full disk is no reason to restart a program that holds an answer in memory.
func (a *App) healthz(w http.ResponseWriter, _ *http.Request) error {
	return plainly(w, http.StatusOK, "ok\n")
}

// readyz answers whether the program can write to its database and its folders.
func (a *App) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := a.writes.check(r.Context(), a.writable); err != nil {
		w.Header().Set("Retry-After", "5")
		return plainly(w, http.StatusServiceUnavailable, "not ready: Dailies cannot write to its database or its data folder\n")
	}
	return plainly(w, http.StatusOK, "ready\n")
}

// writable checks the database and what Config names, and logs what is wrong.
func (a *App) writable(ctx context.Context) error {
	err := a.Store.Writable(ctx, db.Now())
	if err == nil && a.Writable != nil {
		err = a.Writable(ctx)
	}
	if err != nil {
		a.Log.Warn("not ready", "err", err)
	}
	return err
}

// plainly answers a program with a status and a word.
func plainly(w http.ResponseWriter, status int, word string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := w.Write([]byte(word))
	_ = err // the asker went away
	return nil
}
