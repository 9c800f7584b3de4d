// Package fetch makes the HTTP client with which the server fetches URLs that users or
// the service supply: pictures and results. It guards against requests to private
// addresses.
package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Trust names a host that may be fetched from even if its address is private, with a
// transport of its own: the service, whose base URL is a setting.
type Trust struct {
	Base      string // base URL of the service; its scheme, host and port are trusted
	Transport http.RoundTripper
}

// NewClient returns a client that refuses to connect to private, loopback, link-local
// and other special addresses, whatever name or redirect leads there, unless
// allowPrivate is set. It supports only http and https, and follows at most five
// redirects. The caller must limit time and size.
func NewClient(allowPrivate bool, trusted ...Trust) (*http.Client, error) {
	t := &transport{trusted: map[origin]http.RoundTripper{}, guarded: guarded(allowPrivate)}
	for _, trust := range trusted {
		base, err := url.Parse(trust.Base)
		if err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		if trust.Transport != nil {
			t.trusted[originOf(base)] = trust.Transport
		}
	}
	return &http.Client{
		Transport: t,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 5 {
				return errors.New("more than five redirects")
			}
			r.Header.Del("Referer")
			return nil
		},
	}, nil
}

// transport sends requests for each trusted host through the transport of that host, and all
// others, including redirects, through the guarded one.
type transport struct {
	trusted map[origin]http.RoundTripper
	guarded http.RoundTripper
}

type origin struct{ scheme, host, port string }

// originOf returns the same for all spellings of a host, and for its usual port.
func originOf(u *url.URL) origin {
	o := origin{u.Scheme, strings.ToLower(u.Hostname()), u.Port()}
	if o.scheme == "http" && o.port == "80" || o.scheme == "https" && o.port == "443" {
		o.port = ""
	}
	return o
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if trusted := t.trusted[originOf(r.URL)]; trusted != nil {
		return trusted.RoundTrip(r)
	}
	return t.guarded.RoundTrip(r)
}

func guarded(allowPrivate bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !allowPrivate {
		dialer.Control = ssrf.New(ssrf.WithAnyPort()).Safe
	}
	return &http.Transport{
		// No proxy: the guard could not check the addresses that a proxy connects to.
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: headerTimeout,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       60 * time.Second,
	}
}

// Refused reports whether an error means that the guard has refused the address.
func Refused(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) || errors.Is(err, ssrf.ErrProhibitedPort)
}

// RetryAfter parses the header Retry-After in both of its forms, seconds and a date. It
// returns 0 if there is none, and never more than longest.
func RetryAfter(h http.Header, now time.Time, longest time.Duration) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(strings.TrimSpace(v)); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(max(seconds, 0), int(longest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longest)
}

// headerTimeout limits how long a server may take to begin the response with a file.
const headerTimeout = 30 * time.Second

// Service returns a transport for the service's API that keeps as many idle connections
// as there are concurrent calls. It sets no timeout for a call, because the response to
// a create call may take very long; that is up to the caller.
func Service(calls int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = calls, calls
	return t
}

// Files returns a transport for files on the service's own host. It is separate from
// that of Service so that slow files do not delay calls.
func Files() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.ResponseHeaderTimeout = 32, headerTimeout
	return t
}

// ServiceOfOthers is like Service, for a service whose address somebody has typed into a
// page: it refuses private addresses, as NewClient does, unless allowPrivate is set.
func ServiceOfOthers(allowPrivate bool, calls int) *http.Transport {
	t := guarded(allowPrivate)
	t.ResponseHeaderTimeout = 0 // a create call is waited for as long as it takes
	t.MaxIdleConns, t.MaxIdleConnsPerHost = calls, calls
	return t
}
