package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"dailies/db"
)

const (
	// backoff is how long no calls are made after one that got no answer, so that
	// pages do not wait for a service that is known to be down.
	backoff = 3 * time.Second

	// logInterval is the minimum time between two log entries about failures.
	logInterval = time.Minute
)

// health remembers whether the service answers.
type health struct {
	log    *slog.Logger
	mu     sync.Mutex
	failed time.Time // when the last call failed; zero if it succeeded
	logged time.Time
	err    error
}

// failing reports whether the last call failed.
func (h *health) failing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.failed.IsZero()
}

// recentError returns the error of the last call if that failed within the last
// backoff, otherwise nil.
func (h *health) recentError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.failed) < backoff {
		return h.err
	}
	return nil
}

// record records the outcome of a call, and converts its error into one that
// media.Backend documents. asked is the caller's context, and call the context
// derived from it for the call.
func (h *health) record(asked, call context.Context, err error) error {
	var answer *answerError
	missing := errors.As(err, &answer) &&
		(answer.code == "NoSuchKey" || answer.status == http.StatusNotFound && answer.code != "NoSuchBucket")
	switch {
	case err == nil, missing:
		h.recordSuccess()
		if missing {
			return fmt.Errorf("%s: %w", answer.key, fs.ErrNotExist)
		}
		return nil
	case errors.Is(asked.Err(), context.Canceled):
		return asked.Err() // the caller has cancelled; the service is not at fault
	case context.Cause(call) == errSilent:
		err = errSilent
	}
	return h.recordFailure(unavailable(err))
}

func (h *health) recordSuccess() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.failed.IsZero() {
		h.log.Info("the bucket answers again")
	}
	h.failed, h.logged, h.err = time.Time{}, time.Time{}, nil
}

func (h *health) recordFailure(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.err = time.Now(), err
	if h.failed.Sub(h.logged) >= logInterval {
		h.logged = h.failed
		h.log.Error("the bucket cannot be used; it is tried again and again", "err", err)
	}
	return err
}

// unavailable wraps the error in db.ErrUnavailable. It leaves out the URL of the
// call, which may contain a signature.
func unavailable(err error) error {
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err
	}
	if code := codeOf(err); code != "" {
		err = fmt.Errorf("%s: %w", code, err)
	}
	return fmt.Errorf("%w: %w", db.ErrUnavailable, err)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// IsSetting reports whether an error of Open is due to a wrong setting, rather than
// to a service that cannot be reached.
func IsSetting(err error) bool {
	var answer *answerError
	return errors.As(err, &answer) && answer.status >= 300 && answer.status < 500
}
