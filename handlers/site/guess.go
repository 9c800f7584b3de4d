package site

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dailies/web/throttle"
)

const (
	// guessPatience limits how long an attempt waits for the outcome of others.
	guessPatience = 10 * time.Second
	// guessesWaiting limits how many attempts wait so for one limit.
	guessesWaiting = 100

	// With several processes, all attempts of a limit may be open in another one. So an
	// attempt that finds none open here looks again, that often.
	looksElsewhere = 8
	lookPause      = 250 * time.Millisecond
)

// TakeGuess is like Take, for attempts that are given back if they turn out to be right.
// If a limit has no attempt left, but the outcome of some in this process is not known
// yet, TakeGuess waits for it. So any number of people can sign in from one office at the
// same moment, although only a few wrong passwords are allowed. ctx must be the
// request's: an attempt that was not given back by its end was wrong.
func (t *Attempts) TakeGuess(ctx context.Context, limits ...throttle.Rate) (a Attempt, wait time.Duration, err error) {
	names := make([]string, len(limits))
	for i, l := range limits {
		names[i] = l.Name
	}
	ended, wait, err := t.open.patiently(ctx, names, func() (wait time.Duration, err error) {
		a, wait, err = t.Take(ctx, limits...)
		return wait, err
	})
	a.ended = ended
	return a, wait, err
}

// patiently calls take, which takes an attempt of the limits with the names. While that
// has to wait, and the outcome of earlier attempts is not known, it calls take again when
// that is known. ended must be called with the outcome of the attempt; at the end of ctx
// it counts as wrong. ended is nil if no attempt was taken.
func (o *openGuesses) patiently(
	ctx context.Context, names []string, take func() (wait time.Duration, err error),
) (ended func(right bool), wait time.Duration, err error) {
	patient, cancel := context.WithTimeout(ctx, guessPatience)
	defer cancel()
	for last, looks := false, 0; ; {
		o.begin(names) // before the attempt is taken, so that no other one overlooks it
		wait, err := take()
		if err == nil && wait == 0 {
			var once sync.Once
			ended := func(right bool) { once.Do(func() { o.end(names, right) }) }
			context.AfterFunc(ctx, func() { ended(false) })
			return ended, 0, nil
		}
		o.end(names, false)
		if err != nil || last {
			return nil, wait, err
		}
		more, waited := o.await(patient, names)
		if !waited && (looks >= looksElsewhere || !o.lookElsewhere(patient)) {
			return nil, wait, nil
		}
		if !waited {
			looks, more = looks+1, true
		}
		last = !more
	}
}

// lookElsewhere waits a moment, after which the outcome of attempts in other processes
// may be known. It returns false if there can be none, or if too many wait for that.
func (o *openGuesses) lookElsewhere(ctx context.Context) bool {
	defer o.looking.Add(-1)
	if o.looking.Add(1) > guessesWaiting || !o.isShared() {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(lookPause):
		return true
	}
}

// An openGuesses counts the attempts whose outcome is not known yet, by the name of
// their limits, and holds those that wait for it.
type openGuesses struct {
	isShared func() bool  // reports whether other processes count attempts too
	looking  atomic.Int32 // attempts in lookElsewhere
	mu       sync.Mutex
	names    map[string]*openGuess
}

type openGuess struct {
	attempts int
	waiting  []chan bool // each gets at most one value
}

func (o *openGuesses) begin(names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names == nil {
		o.names = map[string]*openGuess{}
	}
	for _, name := range names {
		if o.names[name] == nil {
			o.names[name] = &openGuess{}
		}
		o.names[name].attempts++
	}
}

// end ends an attempt. If it was right and given back, one that waits may try again. If
// no other is open, all that wait try for the last time.
func (o *openGuesses) end(names []string, right bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range names {
		g := o.names[name]
		g.attempts--
		if right && len(g.waiting) > 0 {
			tell(g.waiting[0], true)
			g.waiting = g.waiting[1:]
		}
		if g.attempts > 0 {
			continue
		}
		for _, w := range g.waiting {
			tell(w, right)
		}
		delete(o.names, name)
	}
}

// tell sends to a channel with room for one value. Somebody who waits for several names
// may have got one already.
func tell(to chan bool, more bool) {
	select {
	case to <- more:
	default:
	}
}

// await waits until one of the open attempts with these names ends so that it is worth
// trying again. more says whether others are still open. waited is false if none is open,
// too many wait already, or ctx ends.
func (o *openGuesses) await(ctx context.Context, names []string) (more, waited bool) {
	ended := make(chan bool, 1)
	if !o.enter(names, ended) {
		return false, false
	}
	defer o.leave(names, ended)
	select {
	case more = <-ended:
		return more, true
	case <-ctx.Done():
		return false, false
	}
}

func (o *openGuesses) enter(names []string, ended chan bool) (entered bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range names {
		if g := o.names[name]; g != nil && len(g.waiting) < guessesWaiting {
			g.waiting = append(g.waiting, ended)
			entered = true
		}
	}
	return entered
}

func (o *openGuesses) leave(names []string, ended chan bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range names {
		if g := o.names[name]; g != nil {
			g.waiting = slices.DeleteFunc(g.waiting, func(w chan bool) bool { return w == ended })
		}
	}
}
