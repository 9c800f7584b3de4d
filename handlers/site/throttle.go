package site

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/web"
	"dailies/web/throttle"
)

// Rate limits for guessing passwords and links: a few attempts at once, and then one
// per TriesEvery. Successful attempts do not count.
const (
	TriesPerAccount = 8
	triesPerAddress = 30 // higher, because all users in an office share an address
	TriesEvery      = 15 * time.Second

	// A customer of an IPv6 provider may have 65,536 networks of the size that counts as
	// an address, so what surrounds it has limits of its own.
	triesPerSite   = 100
	triesPerSiteIn = 5 * time.Second
)

// Attempts counts attempts at passwords and links in the database, so that the limits
// hold across processes and restarts.
type Attempts struct {
	guesses *people.Guesses
	log     *slog.Logger
	network *Network
	now     func() time.Time
	open    openGuesses
	vault   *secrets.Vault // makes the fingerprints under which names of limits are stored
}

// Take uses up one attempt of each limit. If a limit has none left, it uses up
// nothing and returns how long the caller must wait. It must be called before the
// work that it permits, so that concurrent attempts count too. If it returns an
// error, nothing is permitted.
func (t *Attempts) Take(ctx context.Context, limits ...throttle.Rate) (Attempt, time.Duration, error) {
	a := Attempt{attempts: t, ctx: context.WithoutCancel(ctx)}
	for _, l := range limits {
		a.limits = append(a.limits, signin.Rate{
			Name: t.vault.Fingerprint(fmt.Sprintf("attempts of %s", l.Name)), Burst: l.Burst, Every: l.Every,
		})
	}
	wait, err := t.guesses.TakeAttempt(ctx, t.now(), a.limits...)
	return a, wait, err
}

// An Attempt is the use of one attempt of each limit.
type Attempt struct {
	attempts *Attempts
	ctx      context.Context // the request's, but never cancelled
	limits   []signin.Rate
	ended    func(right bool) // tells attempts that wait for this one; nil if none can; see TakeGuess
}

// GiveBack returns an attempt that succeeded and thus was no guess. It must be called
// at most once. A failure is only logged: the user has one attempt less for a while.
func (a Attempt) GiveBack() {
	if err := a.attempts.guesses.GiveBackAttempt(a.ctx, a.attempts.now(), a.limits...); err != nil {
		a.attempts.log.Warn("cannot return an attempt", "id", web.RequestID(a.ctx), "err", err)
	}
	if a.ended != nil {
		a.ended(true)
	}
}

// Address returns the client's IP address, or its network for IPv6, in the form in
// which attempts are counted and logged.
func (s *Network) Address(r *http.Request) string {
	if peer, forwarded := s.proxies.Untrusted(r); forwarded {
		s.unproxied.Do(func() {
			s.log.Warn("requests come through a proxy that -trusted-proxy does not name, so everybody seems to have its address",
				"proxy", peer)
		})
	}
	return throttle.Network(s.proxies.Client(r))
}

// ServiceCalls returns the limit of requests that make this program ask the service
// something for the user at once. The service counts the calls of all users together.
func ServiceCalls(userID int64) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("questions of %d", userID), Burst: 20, Every: 5 * time.Second}
}

// FromAddress returns the limits of one kind of attempt for the request's address and,
// with IPv6, for what surrounds it. Each kind has limits of its own, so that failures on
// one page lock nobody out of another. More limits may follow.
func (t *Attempts) FromAddress(r *http.Request, kind string, more ...throttle.Rate) []throttle.Rate {
	limits := append([]throttle.Rate{{
		Name: fmt.Sprintf("%s from %s", kind, t.network.Address(r)), Burst: triesPerAddress, Every: TriesEvery,
	}}, more...)
	if around := throttle.Around(t.network.proxies.Client(r)); around != "" {
		limits = append(limits, throttle.Rate{Name: fmt.Sprintf("%s from %s", kind, around), Burst: triesPerSite, Every: triesPerSiteIn})
	}
	return limits
}

// NotesFrom returns the limit of what guests may write from the request's address.
func (t *Attempts) NotesFrom(r *http.Request) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("notes from %s", t.network.Address(r)), Burst: 60, Every: time.Second}
}

// Source returns what stands for the network address of the request, and tells nobody which it
// is. Whatever one customer of a provider has counts as one.
func (t *Attempts) Source(r *http.Request) string {
	client := t.network.proxies.Client(r)
	return string(t.vault.Fingerprint(fmt.Sprintf("guests from %s", cmp.Or(throttle.Around(client), t.network.Address(r)))))
}

// AddressesFrom returns the limit of mail addresses that guests may give from the request's
// address, because each gets a mail.
func (t *Attempts) AddressesFrom(r *http.Request) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("addresses of guests from %s", t.network.Address(r)), Burst: 10, Every: 6 * time.Minute}
}

// TakeFrom takes an attempt from the request's address, like TakeGuess. If there is none
// left, the error says how long to wait.
func (t *Attempts) TakeFrom(w http.ResponseWriter, r *http.Request, kind string) (Attempt, error) {
	a, wait, err := t.TakeGuess(r.Context(), t.FromAddress(r, kind)...)
	if err == nil && wait > 0 {
		err = refusedFor(w, wait)
	}
	return a, err
}

// TooMany sets Retry-After, and returns a sentence that says how long to wait.
func TooMany(w http.ResponseWriter, wait time.Duration) string {
	w.Header().Set("Retry-After", strconv.Itoa(wholeSeconds(wait)))
	return tooManyTries(wait)
}

// refusedFor returns the error for a link with too many attempts.
func refusedFor(w http.ResponseWriter, wait time.Duration) error {
	return &web.Error{Status: http.StatusTooManyRequests, Message: TooMany(w, wait)}
}

// wholeSeconds rounds the time up.
func wholeSeconds(wait time.Duration) int { return int(math.Ceil(wait.Seconds())) }
