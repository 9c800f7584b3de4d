package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/web/turn"
)

const (
	// mostHashed limits how many passwords are checked or hashed at the same time. Each
	// keeps a processor busy and takes secrets.HashMemory.
	mostHashed = 4
	eachHashed = 1  // of these, passwords of one account or link
	eachQueued = 16 // passwords of one account or link that wait

	// Strangers are refused when their queue is longer than strangersWait, but not
	// before strangersQueued wait: a whole office that signs in at the same moment.
	strangersWait   = 2 * time.Second
	strangersQueued = 64
	// hashPatience limits how long anybody waits, on a machine that is far too slow.
	hashPatience = 15 * time.Second
)

// DefaultHashes returns how many passwords are hashed at the same time if memory is no
// concern: more than there are processors would not make it faster.
func DefaultHashes() int { return min(mostHashed, runtime.GOMAXPROCS(0)) }

// The lanes of the queue for hashing, which take turns.
const (
	knownLane    = iota // people in browsers that have signed in to the account before
	invitedLane         // people with a link that is needed to set a password
	guestLane           // guests of links with a password
	strangerLane        // everybody else
	hashLanes
)

// An Applicant is somebody who waits for a password to be checked or hashed.
type Applicant struct {
	lane int
	key  string // requests with the same key are handled one after another
}

// KnownApplicant returns the applicant for the account with the e-mail address, in a
// session of it or in a browser that has signed in to it before.
func KnownApplicant(email string) Applicant {
	return Applicant{knownLane, fmt.Sprintf("known %s", emailName(email))}
}

// InvitedApplicant returns the applicant who has the token of a link that works.
func InvitedApplicant(token string) Applicant {
	return Applicant{invitedLane, fmt.Sprintf("link %s", token)}
}

// GuestApplicant returns the applicant who guesses the password of a link, from the network
// address that Tries.Source returns. The queue is per address, not per link: those who wait
// behind somebody's guesses are at the same address.
func GuestApplicant(source string) Applicant {
	return Applicant{guestLane, fmt.Sprintf("guest %x", source)}
}

// StrangeApplicant returns the applicant for the account with the e-mail address, of
// whom nothing else is known. There need not be such an account, so that the time does
// not tell whether there is one.
func StrangeApplicant(email string) Applicant {
	return Applicant{strangerLane, fmt.Sprintf("account %s", emailName(email))}
}

func emailName(email string) string { return Clip(db.EmailKey(email), 320) }

// Hashing checks and hashes all passwords of the site, a few at a time. Known browsers,
// people with links, guests, and strangers have queues of their own, so that a flood of
// strangers delays nobody else.
type Hashing struct {
	places int
	turns  *turn.Semaphore
	took   atomic.Int64 // nanoseconds that one password takes, on average
}

// firstGuess is the assumed time for one password until one was measured.
const firstGuess = 50 * time.Millisecond

// NewHashing returns a Hashing that handles so many passwords at the same time, or
// DefaultHashes if places is 0.
func NewHashing(places int) *Hashing {
	places = cmp.Or(places, DefaultHashes())
	h := &Hashing{places: places, turns: turn.NewLanes(places, hashLanes)}
	h.took.Store(int64(firstGuess))
	return h
}

// Match compares the password with the hash, like secrets.MatchPassword, when it is the
// applicant's turn. The error is a BusyError if too many are waiting.
func (h *Hashing) Match(ctx context.Context, a Applicant, hash, password string) (ok, renew bool, err error) {
	err = h.do(ctx, a, func() { ok, renew = secrets.MatchPassword(hash, password) })
	return ok, renew, err
}

// Hash returns a new hash of the password, like secrets.HashPassword, when it is the
// applicant's turn. The error is a BusyError if too many are waiting.
func (h *Hashing) Hash(ctx context.Context, a Applicant, password string) (hash string, err error) {
	err = h.do(ctx, a, func() { hash = secrets.HashPassword(password) })
	return hash, err
}

func (h *Hashing) do(ctx context.Context, a Applicant, work func()) error {
	key := turn.Key{Name: a.key, Max: eachHashed}
	if wait := h.wait(a.lane); h.turns.Waiting(key) >= eachQueued || wait > 0 {
		return BusyError{max(wait, time.Second)}
	}
	waiting, cancel := context.WithTimeout(ctx, hashPatience)
	defer cancel()
	leave, err := h.turns.TakeIn(waiting, a.lane, key)
	if err != nil && ctx.Err() == nil {
		return BusyError{hashPatience}
	}
	if err != nil {
		return err
	}
	defer leave()
	began := time.Now()
	work()
	h.measured(time.Since(began))
	return nil
}

// measured updates the average time. A password that is refused without hashing takes no
// time and does not count.
func (h *Hashing) measured(took time.Duration) {
	if took > time.Millisecond {
		h.took.Store((h.took.Load()*7 + int64(took)) / 8)
	}
}

// wait returns how long a stranger who arrives now should stay away; 0 if they may queue.
func (h *Hashing) wait(lane int) time.Duration {
	if lane != strangerLane {
		return 0
	}
	busy := 0
	lines := h.turns.Lines()
	for _, n := range lines {
		if n > 0 {
			busy++
		}
	}
	line := lines[strangerLane]
	expected := time.Duration(line*max(busy, 1)) * time.Duration(h.took.Load()) / time.Duration(h.places)
	if line < strangersQueued || expected < strangersWait {
		return 0
	}
	return expected
}

// A BusyError says that so many people are signing in that another one has to come back
// after the time.
type BusyError struct{ Wait time.Duration }

func (e BusyError) Error() string { return "too many passwords are waiting to be checked" }

// Busy reports whether the error is a BusyError. If so, it sets Retry-After and returns
// a sentence for the person.
func Busy(w http.ResponseWriter, err error) (sentence string, busy bool) {
	var e BusyError
	if !errors.As(err, &e) {
		return "", false
	}
	seconds := wholeSeconds(e.Wait)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return tooBusy(seconds), true
}
