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

	"github.com/minio/minio-go/v7"

	"dailies/db"
)

const (
	// spared is how long after a call without an answer the next ones are not
	// made: pages do not wait for a service that is known to be silent.
	spared = 3 * time.Second

	// saidEvery is how often the log says that the service does not answer.
	saidEvery = time.Minute
)

// health remembers whether the service answers.
type health struct {
	log    *slog.Logger
	mu     sync.Mutex
	failed time.Time // when the last call had no answer; zero if it had one
	said   time.Time
	err    error
}

// failing reports whether the last call had no answer.
func (h *health) failing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.failed.IsZero()
}

// known returns the error of a call that had no answer a moment ago.
func (h *health) known() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.failed) < spared {
		return h.err
	}
	return nil
}

// note notes how a call went, and returns its error as media.Backend has it.
// asked is the context of whoever asked for the call; call, that of the call.
func (h *health) note(asked, call context.Context, err error) error {
	answer := minio.ToErrorResponse(err)
	missing := answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket
	switch {
	case err == nil, missing:
		h.answers()
		if missing {
			return fmt.Errorf("%s: %w", answer.Key, fs.ErrNotExist)
		}
		return nil
	case errors.Is(asked.Err(), context.Canceled):
		return asked.Err() // whoever asked went away
	case context.Cause(call) == errSilent:
		err = errSilent
	}
	return h.fails(unavailable(err))
}

func (h *health) answers() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.failed.IsZero() {
		h.log.Info("the bucket answers again")
	}
	h.failed, h.said, h.err = time.Time{}, time.Time{}, nil
}

func (h *health) fails(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.err = time.Now(), err
	if h.failed.Sub(h.said) >= saidEvery {
		h.said = h.failed
		h.log.Error("the bucket cannot be used; it is tried again and again", "err", err)
	}
	return err
}

// unavailable marks the error. It leaves out the address of the call, which may
// be signed.
func unavailable(err error) error {
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err
	}
	if code := minio.ToErrorResponse(err).Code; code != "" {
		err = fmt.Errorf("%s: %w", code, err)
	}
	return fmt.Errorf("%w: %w", db.ErrUnavailable, err)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// IsSetting reports whether the error of Open says that a setting is wrong, and
// not that the service cannot be reached.
func IsSetting(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.StatusCode >= 300 && answer.StatusCode < 500
}
