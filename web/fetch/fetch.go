// Package fetch is the one guarded way in which the server gets things from
// addresses that a person or the service gave: pictures and results.
package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"code.dny.dev/ssrf"
)

// Trust is a host whose addresses are fetched by its own transport, private or
// not: the service itself, which the person who runs the server has named.
type Trust struct {
	Base      string // base address of the service; its host and port are trusted
	Transport http.RoundTripper
}

// NewClient returns a client that refuses private, loopback, link-local and
// other special addresses at the moment of connecting, whatever name or
// redirect led there, unless allowPrivate. Only http and https are followed,
// through at most five redirects. The caller bounds time and size.
func NewClient(allowPrivate bool, trust Trust) (*http.Client, error) {
	base, err := url.Parse(trust.Base)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	return &http.Client{
		Transport: &transport{base, trust.Transport, guarded(allowPrivate)},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 5 {
				return errors.New("more than five redirects")
			}
			r.Header.Del("Referer")
			return nil
		},
	}, nil
}

// transport sends the trusted host's requests one way and all others through
// the guard. Redirects come through here like every request.
type transport struct {
	base    *url.URL
	trusted http.RoundTripper
	guarded http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.trusted != nil && r.URL.Host == t.base.Host && r.URL.Scheme == t.base.Scheme {
		return t.trusted.RoundTrip(r)
	}
	return t.guarded.RoundTrip(r)
}

func guarded(allowPrivate bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !allowPrivate {
		dialer.Control = ssrf.New(ssrf.WithAnyPort()).Safe
	}
	return &http.Transport{
		// No proxy: it would connect in our place, where the guard cannot see.
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: headerTimeout,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       60 * time.Second,
	}
}

// Refused reports whether an error says that the guard did not allow the
// address.
func Refused(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) || errors.Is(err, ssrf.ErrProhibitedPort)
}
