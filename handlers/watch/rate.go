package watch

import (
	"context"
	"sync"
	"time"
)

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
