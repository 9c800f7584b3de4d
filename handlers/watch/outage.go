package watch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"dailies/web/videoapi"
)

const (
	// An outage begins with this many failed calls in a row.
	outageCalls = 2

	// apart is how far apart two failed calls may be to belong to the same outage.
	apart = 10 * time.Minute

	// An outage is over when no call has failed for firstQuiet. If the next one begins
	// soon afterwards, that time doubles, up to longestQuiet, so that a host that comes
	// and goes does not fill the log.
	firstQuiet   = 10 * time.Second
	longestQuiet = 5 * time.Minute

	maxOutageHosts  = 100    // hosts whose calls are counted
	maxOutageVideos = 10_000 // videos that are counted per outage
)

// outages logs when a host stops answering, and when it answers again, with how many
// calls and videos were affected: once each, however many videos run.
type outages struct {
	log   *slog.Logger
	mu    sync.Mutex
	hosts map[string]*outage
}

// An outage counts the failed calls to one host.
type outage struct {
	begun    bool // it has been logged
	first    time.Time
	last     time.Time // the last failure
	back     time.Time // the first answer after it; zero if there was none
	ended    time.Time // when the outage before this one ended
	quiet    time.Duration
	calls    int
	unknown  int // create calls that may have been carried out
	affected map[int64]bool
}

// failed counts a call about the video that the host did not answer. unknown says that it
// was a create call that the service may have carried out.
func (o *outages) failed(host, what string, video int64, unknown bool, cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h, now := o.host(host), time.Now()
	if h == nil {
		return
	}
	if !h.begun && now.Sub(h.last) > apart {
		h.calls, h.unknown, h.affected = 0, 0, nil
	}
	if h.calls == 0 {
		h.first, h.affected = now, map[int64]bool{}
	}
	h.calls, h.last, h.back = h.calls+1, now, time.Time{}
	if unknown {
		h.unknown++
	}
	if len(h.affected) < maxOutageVideos {
		h.affected[video] = true
	}
	if h.begun || h.calls < outageCalls {
		return
	}
	h.begun = true
	if h.quiet = min(2*max(h.quiet, firstQuiet/2), longestQuiet); now.Sub(h.ended) > apart {
		h.quiet = firstQuiet
	}
	o.log.Warn("an outage begins: "+what+" does not answer", "host", host, "since", h.first.UTC().Truncate(time.Second), "err", cause)
}

// answered counts a call that the host has answered.
func (o *outages) answered(host string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	switch {
	case h == nil:
	case !h.begun:
		h.calls, h.unknown = 0, 0
	case h.back.IsZero():
		h.back = time.Now()
	}
}

// look logs the outages that are over.
func (o *outages) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for host, h := range o.hosts {
		if !h.begun || h.back.IsZero() || time.Since(h.last) < h.quiet {
			continue
		}
		o.log.Warn("an outage is over: the host answers again", "host", host, "lasted", h.back.Sub(h.first).Round(time.Second),
			"failed calls", h.calls, "videos", len(h.affected), "creates without an answer", h.unknown)
		*h = outage{quiet: h.quiet, ended: time.Now()}
	}
}

// host returns the counts of the host. It returns nil if there are too many hosts.
func (o *outages) host(name string) *outage {
	if h := o.hosts[name]; h != nil {
		return h
	}
	if len(o.hosts) >= maxOutageHosts {
		for other, h := range o.hosts {
			if !h.begun {
				delete(o.hosts, other)
			}
		}
	}
	if len(o.hosts) >= maxOutageHosts {
		return nil
	}
	if o.hosts == nil {
		o.hosts = map[string]*outage{}
	}
	h := &outage{}
	o.hosts[name] = h
	return h
}

// noteCall counts a call to the service at the host about the video for the log of outages. A refusal
// is an answer.
func (c *Config) noteCall(host string, video int64, create bool, err error) {
	var e *videoapi.Error
	switch {
	case errors.Is(err, context.Canceled): // the program is stopping
	case errors.As(err, &e) && e.Kind == videoapi.Transport:
		c.outages.failed(host, "the video service", video, create && !e.Unsent, err)
	case err == nil || e != nil:
		c.outages.answered(host)
	}
}

// noteFetch counts a download for the log of outages.
func (c *Config) noteFetch(ctx context.Context, host string, video int64, resp *http.Response, err error) {
	switch {
	case err == nil && resp.StatusCode < http.StatusInternalServerError:
		c.outages.answered(host)
	case err == nil:
		c.outages.failed(host, "the host of finished videos", video, false, errors.New(resp.Status))
	case ctx.Err() == nil || context.Cause(ctx) == errSlow:
		c.outages.failed(host, "the host of finished videos", video, false, plainFetchError(err))
	}
}
