package site

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"dailies/db"
	"dailies/web"
	"dailies/web/throttle"
)

// How often somebody may guess: a few times at once, and then only every now
// and then. What succeeds costs nothing.
const (
	TriesPerAccount = 8
	triesPerAddress = 30 // an office shares one
	TriesEvery      = 15 * time.Second
)

// Tries counts attempts at passwords and links in the database, so that a limit
// holds however many processes answer, and over a restart.
type Tries struct{ site *Site }

// Take takes one attempt from each limit. If one of them has none left it takes
// nothing, and returns how long the caller has to wait. The attempt is taken before
// the work that it allows, so that attempts that run at the same time are counted
// too. On an error nothing is allowed.
func (t *Tries) Take(ctx context.Context, limits ...throttle.Limit) (Attempt, time.Duration, error) {
	a := Attempt{site: t.site, ctx: context.WithoutCancel(ctx)}
	for _, l := range limits {
		a.limits = append(a.limits, db.Limit{Name: t.site.Vault.Fingerprint("attempts of " + l.Name), Burst: l.Burst, Every: l.Every})
	}
	wait, err := t.site.Store.TakeAttempt(ctx, t.site.Store.Now(), a.limits...)
	return a, wait, err
}

// An Attempt was taken from Tries.
type Attempt struct {
	site   *Site
	ctx    context.Context // of the request, which may end before the attempt is returned
	limits []db.Limit
}

// GiveBack returns an attempt that was no guess, because it succeeded. It must be
// called at most once. A failure is only logged: it costs the person one attempt for
// a while.
func (a Attempt) GiveBack() {
	if err := a.site.Store.GiveBackAttempt(a.ctx, a.site.Store.Now(), a.limits...); err != nil {
		a.site.Log.Warn("cannot return an attempt", "id", web.RequestID(a.ctx), "err", err)
	}
}

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
