package watch

import (
	"cmp"
	"context"
	"sync"
	"time"

	"dailies/db"
)

const (
	// What is known of a kind's usual time is looked up again after this long.
	paceLife = 5 * time.Second

	// maxPaces bounds the kinds that are remembered.
	maxPaces = 1000

	// usualMostAsked is Watcher.MostAsked where that is zero: it takes less than
	// half a processor, and ten thousand videos are each asked about every 20 s.
	usualMostAsked = 400
)

// paces remember how long videos of each kind take, so that not every question
// has to look it up.
type paces struct {
	mu      sync.Mutex
	seen    map[taste]*seenPace
	running int       // videos under way when they were last counted
	counted time.Time // when that was
}

// A taste is what videos that take about equally long have in common, as for
// Store.Usual.
type taste struct {
	scene, model, resolution string
	duration                 int
}

type seenPace struct {
	pace db.Pace
	at   time.Time
}

func tasteOf(t db.Task) taste {
	return taste{t.Scene, t.Model, t.Options.Resolution, t.Options.Duration}
}

// learn looks up how long videos like t take, unless that is known. It is
// called before the task's step, because pause is needed within transactions.
func (w *Watcher) learn(ctx context.Context, t db.Task) {
	if !t.State.Running() {
		return
	}
	w.countRunning(ctx)
	if !w.paces.stale(tasteOf(t)) {
		return
	}
	took, running, err := w.Store.Took(ctx, t.Scene, t.Model, t.Options, db.Now())
	if err != nil {
		return // the old pace serves as well
	}
	pace := db.PaceOf(took, running, w.Poll)
	w.paces.mu.Lock()
	defer w.paces.mu.Unlock()
	w.paces.seen[tasteOf(t)] = &seenPace{pace, time.Now()}
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

// stale reports whether the kind must be looked up, and says so to one caller
// alone.
func (p *paces) stale(kind taste) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil || len(p.seen) >= maxPaces {
		p.seen = map[taste]*seenPace{}
	}
	s := p.seen[kind]
	if s != nil && time.Since(s.at) < paceLife {
		return false
	}
	if s != nil {
		s.at = time.Now()
	}
	return true
}

// pause is the time until the next question about the task. However many videos
// run, no more questions a second are asked than MostAsked: beyond that each of
// them waits longer.
func (w *Watcher) pause(t db.Task, now time.Time) time.Duration {
	w.paces.mu.Lock()
	pace := db.PaceOf(nil, nil, w.Poll)
	if s := w.paces.seen[tasteOf(t)]; s != nil {
		pace = s.pace
	}
	running := w.paces.running
	w.paces.mu.Unlock()
	fair := time.Duration(running) * time.Second / time.Duration(cmp.Or(w.MostAsked, usualMostAsked))
	return jitter(max(fair, pace.Pause(max(0, now.Sub(t.SentAt)), t.Asked)))
}
