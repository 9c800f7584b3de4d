package handlers

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A throttle slows down guessing: each address and each account may fail a few
// times at once, and then only every now and then. Successes cost nothing.
type throttle struct {
	mu    sync.Mutex
	tries map[string]*try
}

type try struct {
	limit *rate.Limiter
	last  time.Time
}

const (
	triesPerAccount = 8
	triesPerAddress = 30 // an office shares one
	triesEvery      = 15 * time.Second
	triesKept       = 10_000
)

func newThrottle() *throttle { return &throttle{tries: map[string]*try{}} }

// wait is how long the address or the account must wait before the next try,
// 0 if it may go on.
func (t *throttle) wait(r *http.Request, account string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var longest time.Duration
	for name, burst := range names(r, account) {
		if l := t.limiter(name, burst); l.Tokens() < 1 {
			longest = max(longest, time.Duration((1-l.Tokens())*float64(triesEvery)))
		}
	}
	return longest
}

// failed counts a wrong password.
func (t *throttle) failed(r *http.Request, account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, burst := range names(r, account) {
		t.limiter(name, burst).Allow()
	}
}

func names(r *http.Request, account string) map[string]int {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return map[string]int{
		"address " + host: triesPerAddress,
		"account " + strings.ToLower(clipped(account, 320)): triesPerAccount,
	}
}

func (t *throttle) limiter(name string, burst int) *rate.Limiter {
	now := time.Now()
	if len(t.tries) > triesKept {
		t.forget(now)
	}
	e := t.tries[name]
	if e == nil {
		e = &try{limit: rate.NewLimiter(rate.Every(triesEvery), burst)}
		t.tries[name] = e
	}
	e.last = now
	return e.limit
}

// forget drops who has not tried for so long that the limit is full again.
func (t *throttle) forget(now time.Time) {
	for name, e := range t.tries {
		if now.Sub(e.last) > triesPerAddress*triesEvery {
			delete(t.tries, name)
		}
	}
}
