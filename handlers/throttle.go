package handlers

import (
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
	triesPerAccount = 8
	triesPerAddress = 30 // an office shares one
	triesEvery      = 15 * time.Second
	triesKept       = 20_000
)

func newThrottle() *throttle.Throttle { return throttle.New(triesKept) }

// address returns the network that the request comes from, as it is counted and
// logged.
func (a *App) address(r *http.Request) string {
	if a.Proxies == nil && r.Header.Get("X-Forwarded-For") != "" {
		a.unproxied.Do(func() {
			a.Log.Warn("requests come through a proxy that -trusted-proxy does not name, so everybody seems to have its address")
		})
	}
	return throttle.Network(a.Proxies.Client(r))
}

// fromAddress limits one kind of attempt by the request's address. Each kind is
// counted by itself, so that nonsense at one page keeps nobody from another.
func (a *App) fromAddress(r *http.Request, kind string) throttle.Limit {
	return throttle.Limit{Name: kind + " from " + a.address(r), Burst: triesPerAddress, Every: triesEvery}
}

// signInLimits limits attempts to sign in to an account. A browser that has
// signed in to it before is counted by itself, so that strangers who guess
// cannot keep its owner out.
func (a *App) signInLimits(r *http.Request, email string, u db.User) []throttle.Limit {
	if browser := a.Cookies.Known(r, u.ID); browser != "" {
		return []throttle.Limit{{Name: fmt.Sprintf("browser %s of %d", browser, u.ID), Burst: triesPerAccount, Every: triesEvery, Kept: true}}
	}
	return []throttle.Limit{
		a.fromAddress(r, "sign-in"),
		{Name: "account " + clipped(db.EmailKey(email), 320), Burst: triesPerAccount, Every: triesEvery, Kept: u.ID != 0},
	}
}

// sessionLimit limits guesses of the password by somebody who is signed in, who
// may have found the browser open.
func sessionLimit(v viewer) throttle.Limit {
	return throttle.Limit{Name: fmt.Sprintf("session %d", v.session.ID), Burst: triesPerAccount, Every: triesEvery, Kept: true}
}

// tooMany tells the browser how long to wait, and returns the sentence about it.
func tooMany(w http.ResponseWriter, wait time.Duration) string {
	seconds := int(math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if seconds == 1 {
		return "Too many tries. Please wait a second and try again."
	}
	return fmt.Sprintf("Too many tries. Please wait %d seconds and try again.", seconds)
}

// refusedFor is the page for a link that was tried too often.
func refusedFor(w http.ResponseWriter, wait time.Duration) error {
	return &web.Error{Status: http.StatusTooManyRequests, Message: tooMany(w, wait)}
}
