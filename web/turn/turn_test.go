package turn_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/turn"
)

func take(t *testing.T, l *turn.Semaphore, keys ...turn.Key) func() {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	leave, err := l.Take(ctx, keys...)
	if err != nil {
		t.Fatalf("no place: %v", err)
	}
	return leave
}

func TestCallersAtTheirMaximumAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ann, bo := turn.New(4), turn.Key{Name: "Ann", Max: 2}, turn.Key{Name: "Bo", Max: 2}
		first := take(t, l, ann)
		take(t, l, ann)
		var third atomic.Bool
		go func() {
			leave, err := l.Take(t.Context(), ann)
			third.Store(err == nil)
			leave()
		}()
		synctest.Wait()
		if third.Load() || l.Waiting(ann) != 1 {
			t.Fatal("a third place for Ann")
		}
		take(t, l, bo) // although a caller for Ann has waited longer
		first()
		first() // calling it again has no effect
		synctest.Wait()
		if !third.Load() {
			t.Fatal("the place that was given back is not Ann's")
		}
		take(t, l, bo)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		take(t, l, ann)
		if _, err := l.Take(ctx, turn.Key{Name: "Cy", Max: 2}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a fifth place: %v", err)
		}
		if l.Waiting(turn.Key{Name: "Cy", Max: 2}) != 0 {
			t.Error("somebody who went away still waits")
		}
	})
}

func TestPlacesAreNeitherLostNorDoubled(t *testing.T) {
	l := turn.New(3)
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*100*time.Microsecond+time.Microsecond)
			defer cancel()
			leave, err := l.Take(ctx, turn.Key{Name: string(rune('a' + i%5)), Max: 2})
			if err != nil {
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(time.Microsecond)
			inside.Add(-1)
			leave()
		})
	}
	all.Wait()
	if most.Load() > 3 {
		t.Errorf("%d at one time", most.Load())
	}
	for _, name := range []string{"a", "b", "c"} {
		take(t, l, turn.Key{Name: name, Max: 2})
	}
}

func TestLanesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := turn.NewLanes(1, 3)
		leave := take(t, s)
		var order []int
		var all sync.WaitGroup
		for _, lane := range []int{2, 2, 2, 2, 0, 1, 0} {
			all.Go(func() {
				leave, err := s.TakeIn(t.Context(), lane)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, lane) // there is one place, so nobody else does this now
				leave()
			})
			synctest.Wait()
		}
		if got := s.Lines(); !slices.Equal(got, []int{2, 1, 4}) {
			t.Errorf("%v wait", got)
		}
		leave()
		all.Wait()
		if !slices.Equal(order, []int{1, 2, 0, 2, 0, 2, 2}) {
			t.Errorf("the order is %v", order)
		}
		if got := s.Lines(); !slices.Equal(got, []int{0, 0, 0}) {
			t.Errorf("%v wait at the end", got)
		}
	})
}

// Callers with one key get places in the order of their arrival, and somebody with another
// key does not wait for all of them.
func TestFirstKeysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := turn.New(1)
		leave := take(t, l)
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		wait := func(name, key string) {
			all.Go(func() {
				leave, err := l.Take(t.Context(), turn.Key{Name: key, Max: 9}, turn.Key{Name: "everybody", Max: 9})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				leave()
			})
			synctest.Wait()
		}
		for _, name := range []string{"a1", "a2", "a3", "a4"} {
			wait(name, "a")
		}
		for _, name := range []string{"b1", "b2"} {
			wait(name, "b")
		}
		wait("c1", "c")
		leave()
		all.Wait()
		if want := []string{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}; !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
	})
}
