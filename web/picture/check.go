package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/sync/singleflight"

	"dailies/web/fetch"
	"dailies/web/throttle"
	"dailies/web/turn"
)

// Timeout is how long a Checker waits until a picture begins to arrive, and WholeTimeout until
// all of it is there.
const (
	Timeout      = 6 * time.Second
	WholeTimeout = 20 * time.Second
)

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
	hostChecks   = 6 // per host
	eachChecks   = 3 // per user and host
	maxFindings  = 1000

	// queueTimeout is how long an address may wait to be checked. After that, its
	// finding is Waited.
	queueTimeout = 20 * time.Second
)

// Limits of the rate of one person's checks: so many at once, and then one per interval.
// A server is not only protected from being flooded by way of this one, but also from
// being asked for hundreds of pictures when somebody pastes a table.
const (
	hostBurst   = 24 // per user and host
	hostEvery   = 3 * time.Second
	personBurst = 120 // per user
	personEvery = time.Second
	maxNames    = 10_000
)

// errSkipped means that the person has had too many pictures checked.
var errSkipped = errors.New("too many pictures of this host were checked for this person")

// A Checker checks whether there are usable pictures at addresses. Its methods may be
// called concurrently.
type Checker struct {
	// Checked is called after each check that was not answered from the cache, before
	// its finding is returned. It must not block.
	Checked func(address string)

	client *http.Client
	line   *turn.Semaphore
	rate   *throttle.Throttle
	flight singleflight.Group

	mu       sync.Mutex
	findings map[string]cacheEntry
	late     map[lateKey]*lateQueue
	lately   map[string]cacheEntry // what CheckInBackground has found
	changed  chan struct{}         // closed whenever late or lately changes, and replaced
}

type cacheEntry struct {
	Finding
	until time.Time
}

// NewChecker returns a Checker that uses the client, which must refuse addresses that
// users may not reach and limit redirects.
func NewChecker(client *http.Client) *Checker {
	return &Checker{
		Checked: func(string) {}, client: client, line: turn.New(maxChecks), rate: throttle.New(maxNames),
		findings: map[string]cacheEntry{},
		late:     map[lateKey]*lateQueue{}, lately: map[string]cacheEntry{}, changed: make(chan struct{}),
	}
}

// Check checks the picture at the address to its end for the person, unless a finding is
// cached. Before that it may have to wait in a queue, in which people take turns, and no
// person and no host can occupy all places. Concurrent checks of one address share one
// request. The finding is Skipped if the person has had too many pictures checked.
func (c *Checker) Check(ctx context.Context, person, address string) Finding {
	if f, ok := c.recall(address); ok {
		return f
	}
	host := hostOf(address)
	taken, wait := c.rate.Take(rates(person, host)...)
	if wait > 0 {
		return Finding{Fault: Skipped, Wait: wait}
	}
	leave, err := c.wait(ctx, person, host)
	if err != nil {
		taken.GiveBack()
		return Finding{Fault: Waited, Wait: hostEvery}
	}
	if f, ok := c.recall(address); ok { // another caller has checked it in the meantime
		leave()
		taken.GiveBack()
		return f
	}
	// The first caller may be cancelled while others still wait for the finding.
	shared := context.WithoutCancel(ctx)
	found := c.flight.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(shared, WholeTimeout)
		defer cancel()
		f := c.look(ctx, cancel, person, address)
		c.remember(address, f)
		c.Checked(address)
		return f, nil
	})
	select {
	case <-ctx.Done():
		go func() { <-found; leave() }() // the request occupies the place until it ends
		return Finding{Fault: Slow, Within: Timeout}
	case r := <-found:
		leave()
		return r.Val.(Finding)
	}
}

// wait waits until the person may check a picture of the host.
func (c *Checker) wait(ctx context.Context, person, host string) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	return c.line.Take(ctx, turn.Key{Name: "person " + person, Max: personChecks},
		turn.Key{Name: "host " + host, Max: hostChecks},
		turn.Key{Name: "person " + person + " host " + host, Max: eachChecks})
}

// rates returns the limits of the person's requests to the host.
func rates(person, host string) []throttle.Rate {
	return []throttle.Rate{
		{Name: "person " + person + " host " + host, Burst: hostBurst, Every: hostEvery},
		{Name: "person " + person, Burst: personBurst, Every: personEvery},
	}
}

// hostOf returns the host in the address, without its port. Different spellings of one
// host have the same result.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.WithZone("").Unmap().String()
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
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

// Fetch fetches the whole picture at the address for the person, and calls keep with its
// content, unless its first bytes are not those of a picture. keep may read at most
// MaxBytes+1 bytes; if that many come, the finding is TooManyBytes. Fetch waits and is
// limited like Check, for which the finding is cached. The error is that of keep.
func (c *Checker) Fetch(ctx context.Context, person, address string, keep func(io.Reader) error) (f Finding, err error) {
	host := hostOf(address)
	taken, wait := c.rate.Take(rates(person, host)...)
	if wait > 0 {
		return Finding{Fault: Skipped, Wait: wait}, nil
	}
	leave, err := c.wait(ctx, person, host)
	if err != nil {
		taken.GiveBack()
		return Finding{Fault: Waited, Wait: hostEvery}, nil
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, WholeTimeout)
	defer cancel()
	f = c.ask(ctx, person, address, func(resp *http.Response) Finding {
		if resp.ContentLength > MaxBytes {
			return Finding{Fault: TooManyBytes}
		}
		var head bytes.Buffer
		body := &countingReader{r: io.LimitReader(resp.Body, MaxBytes+1)}
		info, broken := Inspect(io.TeeReader(body, &head))
		if broken == nil {
			info, broken, err = keepWhole(io.MultiReader(&head, body), keep)
		}
		if body.n > MaxBytes {
			return Finding{Fault: TooManyBytes}
		}
		return FindingOf(info, broken)
	})
	if err == nil {
		c.remember(address, f)
	}
	return f, err
}

// keepWhole calls keep with the picture, and reads to its end what keep reads of it.
func keepWhole(from io.Reader, keep func(io.Reader) error) (info Info, broken, err error) {
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		info, broken = Whole(out)
		_, _ = io.Copy(io.Discard, out) // what follows the picture; a pipe in memory does not fail
	}()
	err = keep(io.TeeReader(from, in))
	_ = in.Close() // never fails
	<-done
	return info, broken, err
}

// look fetches the picture and reads it to its end. It gives up by calling cancel, which ends
// ctx, if nothing of it arrives within Timeout.
func (c *Checker) look(ctx context.Context, cancel func(), person, address string) Finding {
	within := Timeout
	begins := time.AfterFunc(Timeout, cancel)
	defer begins.Stop()
	f := c.ask(ctx, person, address, func(resp *http.Response) Finding {
		return judge(resp, func() {
			if begins.Stop() {
				within = WholeTimeout
			}
		})
	})
	if f.Fault == Unreachable && ctx.Err() != nil {
		f.Fault = Slow
	}
	if f.Fault == Slow {
		f.Within = within
	}
	return f
}

// ask requests the address and calls read with a successful response. Redirects to other
// hosts count as requests of the person too.
func (c *Checker) ask(ctx context.Context, person, address string, read func(*http.Response) Finding) Finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Finding{Fault: Unreachable}
	}
	req.Header.Set("Accept", "image/*")
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; Dailies)")
	resp, err := c.countingRedirects(person).Do(req)
	if err != nil {
		f := Finding{Fault: unanswered(ctx, err)}
		if f.Fault == Skipped {
			f.Wait = hostEvery
		}
		return f
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Finding{Fault: Answered, Status: resp.StatusCode}
	}
	return read(resp)
}

// countingRedirects returns the client with limits for the hosts that the person is
// redirected to.
func (c *Checker) countingRedirects(person string) *http.Client {
	client := *c.client
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if host := hostOf(r.URL.String()); host != hostOf(via[0].URL.String()) {
			if _, wait := c.rate.Take(rates(person, host)...); wait > 0 {
				return errSkipped
			}
		}
		return c.client.CheckRedirect(r, via)
	}
	return &client
}

func unanswered(ctx context.Context, err error) Fault {
	var name *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, errSkipped):
		return Skipped
	case fetch.Refused(err):
		return Private
	case errors.As(err, &name):
		return Nowhere
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return Slow
	}
	return Unreachable
}

// judge reads the picture of the response to its end. It calls began once the first bytes are
// there, which must be those of a picture.
func judge(resp *http.Response, began func()) Finding {
	if resp.ContentLength > MaxBytes {
		return Finding{Fault: TooManyBytes}
	}
	body := &countingReader{r: io.LimitReader(resp.Body, MaxBytes+1)}
	var head bytes.Buffer
	info, err := Inspect(io.TeeReader(body, &head))
	if err == nil {
		began()
		if info, err = Whole(io.MultiReader(&head, body)); err == nil {
			_, err = io.Copy(io.Discard, body) // what follows the picture counts, too
		}
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

// A Finding is the result of checking an address or an upload.
type Finding struct {
	Fault  Fault  // Fine if the picture is usable
	Info   Info   // of the picture, if there is one
	Kind   string // for Other: the actual type, as returned by sniff.Type
	Status int    // for Answered: the HTTP status
	// Wait is the time after which an address that was not checked, Waited or Skipped, can be.
	Wait time.Duration
	// Within is the time in which a Slow picture did not come.
	Within time.Duration
}

// IsUnchecked reports whether the address was not looked at, so that nothing is known.
func (f Finding) IsUnchecked() bool { return f.Fault == Waited || f.Fault == Skipped }

// A Fault says why there is no usable picture.
type Fault int

// The faults.
const (
	Fine        Fault = iota
	Slow              // no picture within Timeout; it may be usable nevertheless
	Private           // a private address, which the server does not fetch from
	Nowhere           // the host name cannot be resolved
	Unreachable       // the server does not respond
	Answered          // the server responds with an error
	Other             // not a picture
	Broken            // a damaged picture
	TooManyBytes
	TooManyPixels
	Waited  // not checked because the queue was too long; it may be usable
	Skipped // not checked because the person had too many checked; it may be usable
)

// String names the fault for a log or a test.
func (f Fault) String() string {
	names := [...]string{"fine", "slow", "private", "nowhere", "unreachable", "answered", "other", "broken",
		"too many bytes", "too many pixels", "waited", "skipped"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("fault %d", int(f))
	}
	return names[f]
}

// faultOf returns the fault for an error of Inspect. For an error of the connection, it
// returns Unreachable.
func faultOf(err error) Fault {
	var other *OtherError
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &other):
		return Other
	case errors.Is(err, ErrTooManyBytes):
		return TooManyBytes
	case errors.Is(err, ErrTooManyPixels):
		return TooManyPixels
	case errors.Is(err, ErrBroken):
		return Broken
	}
	return Unreachable
}

// FindingOf returns the Finding for the results of Inspect or Clean.
func FindingOf(info Info, err error) Finding {
	f := Finding{Fault: faultOf(err), Info: info}
	var other *OtherError
	if errors.As(err, &other) {
		f.Kind = other.Kind
	}
	return f
}
