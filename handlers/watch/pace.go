package watch

import (
	"context"
	"math/rand/v2"
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
	return jitter(pace.Pause(age, t.Queries))
}

const (
	// longestBackoff is the longest pause after a failed call. It is short, so that
	// work resumes soon after an outage of the service.
	longestBackoff = 15 * time.Second

	// repairPause is the pause after a failure that only a user can repair, such as a
	// refused key.
	repairPause = time.Minute

	// While a video's link is younger than young, copying is tried at least every
	// youngPause, later at least every oldPause.
	young      = 6 * time.Hour
	youngPause = 90 * time.Second
	oldPause   = 10 * time.Minute

	// roomPause is the pause before copying is tried again after the disk was full.
	roomPause = time.Minute

	// storagePause is the pause before the storage for videos is tried again after a
	// failure.
	storagePause = 15 * time.Second

	// The pause between two queries for the URL of a finished video grows by the
	// factor addressGrowth, up to addressLongest.
	addressGrowth  = 1.5
	addressLongest = time.Hour

	// The timeout of a query grows from queryFirst to queryLongest with each failure,
	// because the service may just be slow.
	queryFirst   = 30 * time.Second
	queryLongest = 3 * time.Minute
)

// backoff returns the pause after the given number of consecutive failures, or the service's
// Retry-After if that is longer. Jitter keeps the tasks from retrying at the same
// time.
func (c *Config) backoff(attempts int, retryAfter time.Duration) time.Duration {
	wait := schedule.Backoff(c.Poll, 2, attempts, max(longestBackoff, c.Poll))
	return jitter(max(wait, retryAfter))
}

// copyPause returns the time until the next attempt to copy the task's files.
func (c *Config) copyPause(t db.Task, now time.Time) time.Duration {
	longest := oldPause
	if now.Sub(t.DoneAt) < young || now.Sub(t.RefreshedAt) < young {
		longest = youngPause
	}
	return jitter(schedule.Backoff(c.Poll, 2, t.Attempts, max(longest, c.Poll)))
}

// addressPause returns the time until the next query for the URL of a finished video.
func (c *Config) addressPause(attempts int) time.Duration {
	return jitter(schedule.Backoff(c.Poll, addressGrowth, attempts, max(addressLongest, c.Poll)))
}

// queryTimeout returns the timeout of a query after the given number of failures.
func queryTimeout(attempts int) time.Duration {
	return schedule.Backoff(queryFirst, 1.5, attempts, queryLongest)
}

// jitter adds up to a tenth to d. It never shortens d, because Poll and Retry-After
// are minimum intervals.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/10+1))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// sleep waits until d has passed or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

const (
	// defaultQueries takes less than half a CPU core, and still lets each of ten
	// thousand videos be queried every 25 s.
	defaultQueries = 400

	// processesLife is how long the number of processes is used before it is read again.
	processesLife = 5 * time.Second

	// queriesTogether is for how long this process saves up queries that it could not
	// make, so that it claims several tasks together.
	queriesTogether = 50 * time.Millisecond

	// queriesSaved is for how long it does so at most, for tasks that become due at the
	// same time.
	queriesSaved = 250 * time.Millisecond
)

// A queryRate limits the queries that this process makes per second: to its share of
// the limit for all processes together.
type queryRate struct {
	*Config
	mu        sync.Mutex
	saved     float64   // queries that may be made now
	at        time.Time // when saved was computed
	processes int
	counted   time.Time // when processes was read
}

// share reads the number of processes, unless it was read recently.
func (r *queryRate) share(ctx context.Context) {
	if r.processes > 0 && time.Since(r.counted) < processesLife {
		return
	}
	r.counted = time.Now()
	n, err := r.Store.Processes(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil || r.processes == 0 {
		r.processes = max(1, n)
	}
}

// perSecond returns this process's share. The caller must hold r.mu.
func (r *queryRate) perSecond() float64 { return float64(r.Queries) / float64(max(1, r.processes)) }

// available returns how many queries may be made now.
func (r *queryRate) available() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, most := time.Now(), max(1, r.perSecond()*queriesSaved.Seconds())
	if r.at.IsZero() {
		r.saved = most
	} else {
		r.saved = min(most, r.saved+r.perSecond()*now.Sub(r.at).Seconds())
	}
	r.at = now
	return max(0, int(r.saved))
}

// spend records that n queries are made.
func (r *queryRate) spend(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saved -= float64(n)
}

// wait returns the time until some more queries may be made.
func (r *queryRate) wait() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	some := max(1, r.perSecond()*queriesTogether.Seconds())
	return time.Duration(max(0, some-r.saved) / r.perSecond() * float64(time.Second))
}
