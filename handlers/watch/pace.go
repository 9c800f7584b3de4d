package watch

import (
	"context"
	"sync"
	"time"

	"dailies/db"
)

const (
	// paceLife is how long a pace is used before it is looked up again.
	paceLife = 5 * time.Second

	// maxPaces bounds the kinds of video whose paces are kept.
	maxPaces = 1000

	// defaultMostAsked takes less than half a processor, and lets ten thousand
	// videos each be asked about every 25 s.
	defaultMostAsked = 400
)

// A paceCache keeps how often videos of each kind are asked about, so that not
// every question has to look it up.
type paceCache struct {
	*Config
	mu      sync.Mutex
	paces   map[paceKey]*cachedPace
	running int       // videos under way when they were last counted
	counted time.Time // when that was
}

// A paceKey holds what videos that take about equally long have in common, as
// for Store.Took.
type paceKey struct {
	scene, model, resolution string
	duration                 int
}

type cachedPace struct {
	pace db.Pace
	at   time.Time
}

func paceKeyOf(t db.Task) paceKey {
	return paceKey{t.Scene, t.Model, t.Options.Resolution, t.Options.Duration}
}

// load looks up how long videos like t take, unless that is known. It is
// called before the task's step, because pause is needed within transactions.
func (c *paceCache) load(ctx context.Context, t db.Task) {
	if !t.State.Running() {
		return
	}
	c.countRunning(ctx)
	key := paceKeyOf(t)
	if !c.isStale(key) {
		return
	}
	took, running, err := c.Store.Took(ctx, t, c.Store.Now())
	if err != nil {
		return // the old pace serves as well
	}
	pace := db.PaceOf(took, running, c.Poll)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paces[key] = &cachedPace{pace, time.Now()}
}

// countRunning counts the videos under way, unless it did so a moment ago.
func (c *paceCache) countRunning(ctx context.Context) {
	c.mu.Lock()
	fresh := time.Since(c.counted) < paceLife
	if !fresh {
		c.counted = time.Now() // for one caller alone
	}
	c.mu.Unlock()
	if fresh {
		return
	}
	running, err := c.Store.UnderWay(ctx)
	if err != nil {
		return // the old number serves as well
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = running
}

// isStale reports whether the pace must be looked up. Of several callers, only
// one is told so.
func (c *paceCache) isStale(key paceKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paces == nil || len(c.paces) >= maxPaces {
		c.paces = map[paceKey]*cachedPace{}
	}
	cached := c.paces[key]
	if cached != nil && time.Since(cached.at) < paceLife {
		return false
	}
	if cached != nil {
		cached.at = time.Now()
	}
	return true
}

// pause returns the time until the next question about the task. However many
// videos run, no more questions a second are asked than MostAsked: beyond that
// each of them waits longer.
func (c *paceCache) pause(t db.Task, now time.Time) time.Duration {
	c.mu.Lock()
	pace := db.PaceOf(nil, nil, c.Poll)
	if cached := c.paces[paceKeyOf(t)]; cached != nil {
		pace = cached.pace
	}
	running := c.running
	c.mu.Unlock()
	fair := time.Duration(running) * time.Second / time.Duration(c.MostAsked)
	return jitter(max(fair, pace.Pause(max(0, now.Sub(t.SentAt)), t.Asked)))
}
