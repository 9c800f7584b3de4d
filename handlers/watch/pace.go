package watch

import (
	"context"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

const (
	// paceLife is how long a cached pace is used before it is computed again.
	paceLife = 5 * time.Second

	// maxPaces limits the number of cached paces.
	maxPaces = 1000
)

// A paceCache caches how often videos of each kind are queried, so that not every
// query has to read it from the database.
type paceCache struct {
	*Config
	mu    sync.Mutex
	paces map[paceKey]*cachedPace
}

// A paceKey identifies videos that take about equally long, as in Store.Took.
type paceKey struct {
	scene, model, resolution string
	duration                 int
}

type cachedPace struct {
	pace schedule.Pace
	at   time.Time
}

func paceKeyOf(t db.Task) paceKey {
	return paceKey{t.Scene, t.Model, t.Options.Resolution, t.Options.Duration}
}

// load reads from the database how long videos like t take, unless that is cached. It
// must be called before the task's step, because pause is called within transactions.
func (c *paceCache) load(ctx context.Context, t db.Task) {
	if !t.State.Running() {
		return
	}
	key := paceKeyOf(t)
	if !c.isStale(key) {
		return
	}
	took, running, err := c.Store.Tasks.Took(ctx, t, c.Store.Now())
	if err != nil {
		return // the old pace is good enough
	}
	pace := schedule.PaceOf(took, running, c.Poll)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paces[key] = &cachedPace{pace, time.Now()}
}

// isStale reports whether the pace must be read again. Of several concurrent callers,
// only one gets true.
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

// pause returns the time until the task's next query is due.
func (c *paceCache) pause(t db.Task, now time.Time) time.Duration {
	c.mu.Lock()
	pace := schedule.PaceOf(nil, nil, c.Poll)
	if cached := c.paces[paceKeyOf(t)]; cached != nil {
		pace = cached.pace
	}
	c.mu.Unlock()
	age := time.Duration(0)
	if started := t.StartedAt(); !started.IsZero() {
		age = max(0, now.Sub(started))
	}
	return jitter(pace.Pause(age, t.Asked))
}
