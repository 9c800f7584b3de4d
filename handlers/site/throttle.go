package site

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"dailies/web"
	"dailies/web/throttle"
)

// How often somebody may guess: a few times at once, and then only every now
// and then. What succeeds costs nothing.
const (
	TriesPerAccount = 8
	triesPerAddress = 30 // an office shares one
	TriesEvery      = 15 * time.Second
	triesKept       = 20_000
)

// Address returns the network that the request comes from, as it is counted
// and logged.
func (s *Site) Address(r *http.Request) string {
	if s.Proxies == nil && r.Header.Get("X-Forwarded-For") != "" {
		s.unproxied.Do(func() {
			s.Log.Warn("requests come through a proxy that -trusted-proxy does not name, so everybody seems to have its address")
		})
	}
	return throttle.Network(s.Proxies.Client(r))
}

// FromAddress returns the limit of one kind of attempt by the request's
// address. Kinds are counted separately, so that failures at one page lock
// nobody out of another.
func (s *Site) FromAddress(r *http.Request, kind string) throttle.Limit {
	return throttle.Limit{Name: kind + " from " + s.Address(r), Burst: triesPerAddress, Every: TriesEvery}
}

// TooMany sets Retry-After, and returns the sentence that says how long to
// wait.
func TooMany(w http.ResponseWriter, wait time.Duration) string {
	seconds := int(math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if seconds == 1 {
		return "Too many tries. Please wait a second and try again."
	}
	return fmt.Sprintf("Too many tries. Please wait %d seconds and try again.", seconds)
}

// RefusedFor returns the error for a link that was tried too often.
func RefusedFor(w http.ResponseWriter, wait time.Duration) error {
	return &web.Error{Status: http.StatusTooManyRequests, Message: TooMany(w, wait)}
}
