package site

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"dailies/db/signin"
	"dailies/web"
	"dailies/web/throttle"
)

// A Backoff limits guesses at something that is short enough to be guessed in the long
// run, such as a one-time code: after Free wrong ones the pause doubles with each, from
// First up to Longest. The count is kept under Name.
type Backoff struct {
	Name           string
	Free           int
	First, Longest time.Duration
}

// LongestPause is how far the pauses between the guesses of strangers grow.
const LongestPause = 6 * time.Hour

// SlowFromAddress returns the limits of one kind of guess for the request's address and,
// with IPv6, for what surrounds it.
func (t *Attempts) SlowFromAddress(r *http.Request, kind string) []Backoff {
	limits := []Backoff{{
		Name: fmt.Sprintf("%s from %s", kind, t.network.Address(r)), Free: triesPerAddress, First: TriesEvery, Longest: LongestPause,
	}}
	if around := throttle.Around(t.network.proxies.Client(r)); around != "" {
		limits = append(limits, Backoff{
			Name: fmt.Sprintf("%s from %s", kind, around), Free: triesPerSite, First: triesPerSiteIn, Longest: LongestPause,
		})
	}
	return limits
}

// TakeSlowly counts a guess against each limit, before it is checked. If one of them does
// not allow it yet, it counts none and returns how long the caller must wait; but it waits
// itself, like TakeGuess, for the outcome of guesses that are being checked. If it returns
// an error, nothing is permitted. ctx must be the request's.
func (t *Attempts) TakeSlowly(ctx context.Context, limits ...Backoff) (g SlowGuess, wait time.Duration, err error) {
	g = SlowGuess{attempts: t, ctx: context.WithoutCancel(ctx), limits: make([]signin.Backoff, len(limits))}
	names := make([]string, len(limits))
	for i, l := range limits {
		names[i] = fmt.Sprintf("slow %s", l.Name)
		g.limits[i] = signin.Backoff{Name: t.slowName(l.Name), Free: l.Free, First: l.First, Longest: l.Longest}
	}
	g.ended, wait, err = t.open.patiently(ctx, names, func() (wait time.Duration, err error) {
		g.taken, wait, err = t.guesses.TakeGuess(ctx, t.now(), g.limits...)
		return wait, err
	})
	return g, wait, err
}

// Forget forgets the wrong guesses that were counted under the names. A failure is only
// logged: the pauses stay as long as they are.
func (t *Attempts) Forget(ctx context.Context, names ...string) {
	hashed := make([][]byte, len(names))
	for i, name := range names {
		hashed[i] = t.slowName(name)
	}
	if err := t.guesses.ForgetGuesses(context.WithoutCancel(ctx), hashed...); err != nil {
		t.log.Warn("cannot forget wrong guesses", "id", web.RequestID(ctx), "err", err)
	}
}

func (t *Attempts) slowName(name string) []byte {
	return t.vault.Fingerprint(fmt.Sprintf("guesses of %s", name))
}

// A SlowGuess is a guess that TakeSlowly has counted.
type SlowGuess struct {
	attempts *Attempts
	ctx      context.Context // the request's, but never cancelled
	limits   []signin.Backoff
	taken    []signin.Guess
	ended    func(right bool) // tells guesses that wait for this one
}

// GiveBack undoes TakeSlowly, because the guess was right. It must be called at most
// once. A failure is only logged.
func (g SlowGuess) GiveBack() {
	if err := g.attempts.guesses.GiveBackGuess(g.ctx, g.taken...); err != nil {
		g.attempts.log.Warn("cannot return a guess", "id", web.RequestID(g.ctx), "err", err)
	}
	g.ended(true)
}

// Reaches reports whether the guess is the last one that the first limit allows without
// a pause.
func (g SlowGuess) Reaches() bool { return g.limits[0].Reaches(g.taken[0]) }
