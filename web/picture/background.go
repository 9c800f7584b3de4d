package picture

import (
	"context"
	"time"
)

// Limits of checks in the background.
const (
	lateTTL   = 15 * time.Minute // how long an address may wait, and how long its finding is kept
	maxLately = 10 * maxFindings
	maxLate   = 2000 // addresses of one host that wait for one person
)

// A lateKey names the queue of one person's addresses on one host: only these wait for each
// other.
type lateKey struct{ person, host string }

// A lateQueue holds addresses that are checked as soon as the limits allow it.
type lateQueue struct {
	waiting []string
	known   map[string]bool // those that wait or are being checked
	workers int
	idle    int // workers that wait until the host may be asked again
}

// CheckInBackground begins to check the addresses for the person in the background, as fast as the
// limits allow. Those that were checked lately, or already wait, are left as they are.
func (c *Checker) CheckInBackground(ctx context.Context, person string, addresses []string) {
	ctx = context.WithoutCancel(ctx) // the request ends before
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, address := range addresses {
		if _, done := c.latelyFound(address); done {
			continue
		}
		key := lateKey{person, hostOf(address)}
		q := c.late[key]
		if q == nil {
			q = &lateQueue{known: map[string]bool{}}
			c.late[key] = q
		}
		if q.known[address] || len(q.known) >= maxLate {
			continue
		}
		q.known[address], q.waiting = true, append(q.waiting, address)
		if q.workers < eachChecks {
			q.workers++
			go c.work(ctx, key, q)
		}
	}
}

// work checks what waits in the queue until that is empty.
func (c *Checker) work(ctx context.Context, key lateKey, q *lateQueue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(q.waiting) > 0 {
		address := q.waiting[0]
		q.waiting = q.waiting[1:]
		c.mu.Unlock()
		f := c.inTurn(ctx, key.person, address, q)
		c.mu.Lock()
		delete(q.known, address)
		if len(c.lately) >= maxLately {
			clear(c.lately)
		}
		c.lately[address] = cacheEntry{f, time.Now().Add(lateTTL)}
		c.tell()
	}
	if q.workers--; q.workers == 0 {
		delete(c.late, key)
	}
	c.tell()
}

// inTurn checks the address once the limits allow it, or gives up after lateTTL.
func (c *Checker) inTurn(ctx context.Context, person, address string, q *lateQueue) Finding {
	for end := time.Now().Add(lateTTL); ; {
		f := c.Check(ctx, person, address)
		if !f.IsUnchecked() || time.Now().After(end) {
			return f
		}
		c.rest(q, 1)
		time.Sleep(f.Wait)
		c.rest(q, -1)
	}
}

func (c *Checker) rest(q *lateQueue, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.idle += by
	c.tell()
}

// tell wakes whoever waits in Found. The caller must hold c.mu.
func (c *Checker) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// latelyFound returns what CheckInBackground has found at the address. The caller must hold c.mu.
func (c *Checker) latelyFound(address string) (Finding, bool) {
	f, ok := c.lately[address]
	return f.Finding, ok && time.Now().Before(f.until) && !f.IsUnchecked()
}

// Found returns what CheckInBackground has found at the addresses. It waits for those that are being
// checked, but not for those that have to wait until their host may be asked again, which
// are missing.
func (c *Checker) Found(ctx context.Context, person string, addresses []string) map[string]Finding {
	for {
		c.mu.Lock()
		found, busy, changed := map[string]Finding{}, false, c.changed
		for _, address := range addresses {
			if f, ok := c.latelyFound(address); ok {
				found[address] = f
			} else if q := c.late[lateKey{person, hostOf(address)}]; q != nil {
				busy = busy || q.idle < q.workers
			}
		}
		c.mu.Unlock()
		if !busy {
			return found
		}
		select {
		case <-ctx.Done():
			return found
		case <-changed:
		}
	}
}

// Forget drops what CheckInBackground has found at the addresses, unless it was a usable picture.
func (c *Checker) Forget(addresses []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, address := range addresses {
		if c.lately[address].Fault != Fine {
			delete(c.lately, address)
		}
	}
}
