package picture

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"dailies/web/fetch"
	"dailies/web/turn"
)

// Timeout is how long a Checker waits for the picture at an address.
const Timeout = 6 * time.Second

// How long findings are cached. Other faults are not cached, because the user is likely
// to fix them and try again.
const (
	fineTTL = 3 * time.Minute
	slowTTL = time.Minute
)

// Limits of concurrent checks and of cached findings.
const (
	maxChecks    = 16
	personChecks = 4 // per user
	hostChecks   = 4 // per host
	maxFindings  = 1000

	// queueTimeout is how long an address may wait to be checked. After that, its
	// finding is Waited.
	queueTimeout = 20 * time.Second
)

// A Checker checks whether there are usable pictures at addresses. Its methods may be
// called concurrently.
type Checker struct {
	client *http.Client
	line   *turn.Semaphore
	flight singleflight.Group

	mu       sync.Mutex
	findings map[string]cacheEntry
}

type cacheEntry struct {
	Finding
	until time.Time
}

// NewChecker returns a Checker that uses the client, which must refuse addresses that
// users may not reach and limit redirects.
func NewChecker(client *http.Client) *Checker {
	return &Checker{client: client, line: turn.New(maxChecks), findings: map[string]cacheEntry{}}
}

// Check checks the address for the person, for Timeout at most, unless a finding is
// cached. Before that it may have to wait in a queue, in which no person and no host can
// occupy all places. Concurrent checks of one address share one request.
func (c *Checker) Check(ctx context.Context, person, address string) Finding {
	if f, ok := c.recall(address); ok {
		return f
	}
	waiting, cancel := context.WithTimeout(ctx, queueTimeout)
	leave, err := c.line.Take(waiting, turn.Key{Name: "person " + person, Max: personChecks}, turn.Key{Name: "host " + hostOf(address), Max: hostChecks})
	cancel()
	if err != nil {
		return Finding{Fault: Waited}
	}
	if f, ok := c.recall(address); ok { // another caller has checked it in the meantime
		leave()
		return f
	}
	// The first caller may be cancelled while others still wait for the finding.
	shared := context.WithoutCancel(ctx)
	found := c.flight.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(shared, Timeout)
		defer cancel()
		f := c.look(ctx, address)
		c.remember(address, f)
		return f, nil
	})
	select {
	case <-ctx.Done():
		go func() { <-found; leave() }() // the request occupies the place until it ends
		return Finding{Fault: Slow}
	case r := <-found:
		leave()
		return r.Val.(Finding)
	}
}

// hostOf returns the host in the address, without its port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

func (c *Checker) recall(address string) (Finding, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.findings[address]
	return f.Finding, ok && time.Now().Before(f.until)
}

func (c *Checker) remember(address string, f Finding) {
	lasts := map[Fault]time.Duration{Fine: fineTTL, Slow: slowTTL}[f.Fault]
	c.mu.Lock()
	defer c.mu.Unlock()
	if lasts == 0 {
		delete(c.findings, address)
		return
	}
	if len(c.findings) >= maxFindings {
		clear(c.findings)
	}
	c.findings[address] = cacheEntry{f, time.Now().Add(lasts)}
}

// look fetches as much of the picture as is needed for a finding.
func (c *Checker) look(ctx context.Context, address string) Finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Finding{Fault: Unreachable}
	}
	req.Header.Set("Accept", "image/*")
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; Dailies)")
	resp, err := c.client.Do(req)
	if err != nil {
		return Finding{Fault: unanswered(ctx, err)}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Finding{Fault: Answered, Status: resp.StatusCode}
	}
	f := judge(resp)
	if f.Fault == Unreachable && ctx.Err() != nil {
		f.Fault = Slow
	}
	return f
}

func unanswered(ctx context.Context, err error) Fault {
	var name *net.DNSError
	var timeout net.Error
	switch {
	case fetch.Refused(err):
		return Private
	case errors.As(err, &name):
		return Nowhere
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return Slow
	}
	return Unreachable
}

// judge inspects the response. It reads the first bytes, or everything if the response
// has no Content-Length.
func judge(resp *http.Response) Finding {
	if resp.ContentLength > MaxBytes {
		return Finding{Fault: TooManyBytes}
	}
	body := &countingReader{r: io.LimitReader(resp.Body, MaxBytes+1)}
	info, err := Inspect(body)
	if err == nil && resp.ContentLength < 0 {
		_, err = io.Copy(io.Discard, body)
	}
	if body.n > MaxBytes {
		return Finding{Fault: TooManyBytes}
	}
	return FindingOf(info, err)
}

// countingReader is a reader that counts the bytes read.
type countingReader struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
