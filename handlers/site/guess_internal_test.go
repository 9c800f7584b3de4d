package site

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// guesses are attempts at one limit, in fake time. They log when each one is permitted or
// refused.
type guesses struct {
	openGuesses
	began time.Time

	limit sync.Mutex
	left  int // attempts
	log   []string
	ended map[string]func(right bool)
}

func newGuesses(left int, shared bool) *guesses {
	return &guesses{
		openGuesses: openGuesses{isShared: func() bool { return shared }}, left: left, began: time.Now(), ended: map[string]func(bool){},
	}
}

func (g *guesses) take() (wait time.Duration, err error) {
	g.limit.Lock()
	defer g.limit.Unlock()
	if g.left == 0 {
		return TriesEvery, nil
	}
	g.left--
	return 0, nil
}

func (g *guesses) giveBack() {
	g.limit.Lock()
	defer g.limit.Unlock()
	g.left++
}

func (g *guesses) try(ctx context.Context, name string) {
	ended, wait, err := g.patiently(ctx, []string{"limit"}, g.take)
	g.limit.Lock()
	defer g.limit.Unlock()
	g.ended[name] = ended
	what := "permitted"
	if err != nil || wait > 0 || ended == nil {
		what = "refused"
	}
	g.log = append(g.log, fmt.Sprintf("%s %s after %s", name, what, time.Since(g.began)))
}

// end gives the attempt back if it was right.
func (g *guesses) end(name string, right bool) {
	if right {
		g.giveBack()
	}
	g.ended[name](right)
	synctest.Wait()
}

func (g *guesses) logged(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	g.limit.Lock()
	defer g.limit.Unlock()
	slices.Sort(g.log)
	if !slices.Equal(g.log, want) {
		t.Errorf("%q, want %q", g.log, want)
	}
	g.log = nil
}

// over checks that no attempt is left open or waiting.
func (g *guesses) over(t *testing.T) {
	t.Helper()
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.names) > 0 || g.looking.Load() != 0 {
		t.Errorf("left are %+v, and %d that look", g.names, g.looking.Load())
	}
}

func TestAGuessWaitsForThoseWhoseOutcomeIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(2, true)
		g.try(t.Context(), "a")
		g.try(t.Context(), "b")
		for _, name := range []string{"c", "d", "e"} {
			go g.try(t.Context(), name)
			synctest.Wait()
		}
		g.logged(t, "a permitted after 0s", "b permitted after 0s")
		time.Sleep(time.Second)
		g.end("a", true) // makes room for one more
		g.logged(t, "c permitted after 1s")
		time.Sleep(time.Second)
		g.end("b", false)
		g.ended["b"](true) // too late
		g.logged(t)
		g.end("c", false) // the last whose outcome was unknown
		g.logged(t, "d refused after 2s", "e refused after 2s")
		g.over(t)
	})
}

// A right guess may have been the last one here, and there may be others elsewhere.
func TestAGuessLooksForOutcomesInOtherProcesses(t *testing.T) {
	for name, tt := range map[string]struct {
		shared bool
		free   time.Duration // when an attempt is given back elsewhere
		want   string
	}{
		"soon":     {true, 1100 * time.Millisecond, "permitted after 1.25s"},
		"late":     {true, 1900 * time.Millisecond, "permitted after 2s"},
		"too late": {true, 2100 * time.Millisecond, "refused after 2s"},
		"nowhere":  {false, 100 * time.Millisecond, "refused after 0s"},
		"at once":  {true, time.Millisecond, "permitted after 250ms"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGuesses(0, tt.shared)
				time.AfterFunc(tt.free, g.giveBack)
				g.try(t.Context(), "a")
				g.logged(t, "a "+tt.want)
				time.Sleep(time.Minute)
				if end := g.ended["a"]; end != nil {
					end(false)
				}
				g.over(t)
			})
		})
	}
}

func TestAGuessThatIsAbandonedWasWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(1, true)
		ctx, leave := context.WithCancel(t.Context())
		g.try(ctx, "a")
		go g.try(t.Context(), "b")
		synctest.Wait()
		time.Sleep(time.Second)
		leave()
		g.logged(t, "a permitted after 0s", "b refused after 1s")
		g.over(t)
	})
}

func TestAGuessWaitsNoLongerThanItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(1, true)
		g.try(t.Context(), "a")
		ctx, leave := context.WithCancel(t.Context())
		go g.try(ctx, "b")
		go func() { time.Sleep(time.Second); g.try(t.Context(), "c") }()
		time.Sleep(2 * time.Second)
		leave()
		time.Sleep(time.Minute)
		g.logged(t, "a permitted after 0s", "b refused after 2s", "c refused after 11s")
		g.end("a", true)
		g.over(t)
	})
}

func TestFewGuessesWaitAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(1, false)
		g.try(t.Context(), "a")
		for range guessesWaiting {
			go g.try(t.Context(), "b")
			synctest.Wait()
		}
		g.logged(t, "a permitted after 0s")
		g.try(t.Context(), "c")
		g.logged(t, "c refused after 0s")
		g.end("a", false)
		g.over(t)
	})
	synctest.Test(t, func(t *testing.T) { // looking for those elsewhere
		g := newGuesses(0, true)
		for range guessesWaiting {
			go g.try(t.Context(), "a")
			synctest.Wait()
		}
		g.logged(t)
		g.try(t.Context(), "b")
		g.logged(t, "b refused after 0s")
		time.Sleep(time.Minute)
		g.over(t)
	})
}

func TestAGuessThatCannotBeCountedIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, broken := newGuesses(1, true), errors.New("no database")
		for _, wait := range []time.Duration{0, time.Minute} {
			ended, _, err := g.patiently(t.Context(), []string{"limit"}, func() (time.Duration, error) { return wait, broken })
			if ended != nil || !errors.Is(err, broken) {
				t.Errorf("waiting %s: %v", wait, err)
			}
		}
		g.over(t)
	})
}
