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

// Patience is how long an address has.
const Patience = 6 * time.Second

// How long a finding is believed. What will not do is looked at anew each
// time, because the person is putting it right.
const (
	fineFor = 3 * time.Minute
	slowFor = time.Minute
)

// Bounds of what goes on and is remembered at one time.
const (
	maxChecks   = 16
	eachChecks  = 4 // of them, those of one person
	hostChecks  = 4 // of them, those of one host
	maxFindings = 1000

	// lineTime is how long an address waits to be looked at. After that
	// nothing is known about it.
	lineTime = 20 * time.Second
)

// A Checker looks at addresses. Its methods may be called from many
// goroutines.
type Checker struct {
	client *http.Client
	line   *turn.Line
	flight singleflight.Group

	mu       sync.Mutex
	findings map[string]remembered
}

type remembered struct {
	Finding
	until time.Time
}

// NewChecker returns a Checker that asks through the client, which must refuse
// what people may not reach and bound its redirects.
func NewChecker(client *http.Client) *Checker {
	return &Checker{client: client, line: turn.New(maxChecks), findings: map[string]remembered{}}
}

// Check looks at the address for the person, for Patience at most, unless it
// was found good a moment ago. It first waits for its turn: nobody's addresses,
// and no host's, take the places of all others. Two who ask for one address at
// the same time get one finding.
func (c *Checker) Check(ctx context.Context, person, address string) Finding {
	if f, ok := c.recall(address); ok {
		return f
	}
	waiting, cancel := context.WithTimeout(ctx, lineTime)
	leave, err := c.line.Take(waiting, turn.Key{Name: "person " + person, Max: eachChecks}, turn.Key{Name: "host " + hostOf(address), Max: hostChecks})
	cancel()
	if err != nil {
		return Finding{Fault: Waited}
	}
	if f, ok := c.recall(address); ok { // found while this one waited
		leave()
		return f
	}
	// Whoever asked first may go away while others still wait.
	shared := context.WithoutCancel(ctx)
	found := c.flight.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(shared, Patience)
		defer cancel()
		f := c.look(ctx, address)
		c.remember(address, f)
		return f, nil
	})
	select {
	case <-ctx.Done():
		go func() { <-found; leave() }() // the place is taken until then
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
	lasts := map[Fault]time.Duration{Fine: fineFor, Slow: slowFor}[f.Fault]
	c.mu.Lock()
	defer c.mu.Unlock()
	if lasts == 0 {
		delete(c.findings, address)
		return
	}
	if len(c.findings) >= maxFindings {
		clear(c.findings)
	}
	c.findings[address] = remembered{f, time.Now().Add(lasts)}
}

// look fetches as much of the picture as it takes to judge it.
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

// judge reads the answer: its first bytes, and where it does not say how long
// it is, all of it.
func judge(resp *http.Response) Finding {
	if resp.ContentLength > MaxBytes {
		return Finding{Fault: TooManyBytes}
	}
	body := &counted{r: io.LimitReader(resp.Body, MaxBytes+1)}
	info, err := Inspect(body)
	if err == nil && resp.ContentLength < 0 {
		_, err = io.Copy(io.Discard, body)
	}
	if body.n > MaxBytes {
		return Finding{Fault: TooManyBytes}
	}
	return FindingOf(info, err)
}

// counted counts what was read.
type counted struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
