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

// loadPace looks up how long videos like t take, unless that is known. It is
// called before the task's step, because pause is needed within transactions.
func (w *Watcher) loadPace(ctx context.Context, t db.Task) {
	if !t.State.Running() {
		return
	}
	w.countRunning(ctx)
	key := paceKeyOf(t)
	if !w.paces.isStale(key) {
		return
	}
	took, running, err := w.Store.Took(ctx, t, db.Now())
	if err != nil {
		return // the old pace serves as well
	}
	pace := db.PaceOf(took, running, w.Poll)
	w.paces.mu.Lock()
	defer w.paces.mu.Unlock()
	w.paces.paces[key] = &cachedPace{pace, time.Now()}
}

// countRunning counts the videos under way, unless it did so a moment ago.
func (w *Watcher) countRunning(ctx context.Context) {
	w.paces.mu.Lock()
	fresh := time.Since(w.paces.counted) < paceLife
	if !fresh {
		w.paces.counted = time.Now() // for one caller alone
	}
	w.paces.mu.Unlock()
	if fresh {
		return
	}
	running, err := w.Store.UnderWay(ctx)
	if err != nil {
		return // the old number serves as well
	}
	w.paces.mu.Lock()
	defer w.paces.mu.Unlock()
	w.paces.running = running
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
func (w *Watcher) pause(t db.Task, now time.Time) time.Duration {
	w.paces.mu.Lock()
	pace := db.PaceOf(nil, nil, w.Poll)
	if cached := w.paces.paces[paceKeyOf(t)]; cached != nil {
		pace = cached.pace
	}
	running := w.paces.running
	w.paces.mu.Unlock()
	fair := time.Duration(running) * time.Second / time.Duration(w.MostAsked)
	return jitter(max(fair, pace.Pause(max(0, now.Sub(t.SentAt)), t.Asked)))
}
