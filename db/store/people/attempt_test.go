package people_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// limit permits three attempts at once, and then one every ten seconds.
func limit(name string) signin.Rate {
	return signin.Rate{Name: []byte(name), Burst: 3, Every: 10 * time.Second}
}

// waits fails the test unless an attempt at the time would have to wait this long.
func waits(tb testing.TB, s *store.Store, at time.Time, want time.Duration, limits ...signin.Rate) {
	tb.Helper()
	wait, err := s.Guesses.TakeAttempt(tb.Context(), at, limits...)
	must(tb, err)
	if wait != want {
		tb.Errorf("it waits %s, want %s", wait, want)
	}
}

func TestAttemptsComeBackOneByOne(t *testing.T) {
	s := suite.Open(t)
	a := limit("a")
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	waits(t, s, suite.Day, 10*time.Second, a)
	waits(t, s, suite.Day.Add(4*time.Second), 6*time.Second, a)
	waits(t, s, suite.Day.Add(10*time.Second), 0, a)
	waits(t, s, suite.Day.Add(10*time.Second), 10*time.Second, a)
	later := suite.Day.Add(time.Hour)
	for range 3 {
		waits(t, s, later, 0, a)
	}
	waits(t, s, later, 10*time.Second, a) // even after an hour, only the burst is permitted
}

func TestARefusedAttemptTakesNothing(t *testing.T) {
	s := suite.Open(t)
	a, b := limit("a"), limit("b")
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	for range 10 {
		waits(t, s, suite.Day, 10*time.Second, b, a)
	}
	for range 3 {
		waits(t, s, suite.Day, 0, b)
	}
}

func TestReturnedAttemptDoesNotCount(t *testing.T) {
	s := suite.Open(t)
	a, b := limit("a"), limit("b")
	waits(t, s, suite.Day, 0, b)
	for range 10 {
		waits(t, s, suite.Day, 0, a, b)
		must(t, s.Guesses.GiveBackAttempt(t.Context(), suite.Day, a, b))
	}
	for range 2 {
		waits(t, s, suite.Day, 0, b)
	}
	waits(t, s, suite.Day, 10*time.Second, b) // its first attempt was not given back
	must(t, s.Guesses.GiveBackAttempt(t.Context(), suite.Day, limit("c")))
	for range 3 {
		waits(t, s, suite.Day, 0, limit("c"))
	}
	waits(t, s, suite.Day, 10*time.Second, limit("c")) // none was taken, so nothing was given back
}

// A clock that was years ahead for a while locks nobody out.
func TestAttemptsOfAWrongClockDoNotCount(t *testing.T) {
	s := suite.Open(t)
	a := limit("a")
	for range 3 {
		waits(t, s, suite.Day.AddDate(9, 0, 0), 0, a)
	}
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	waits(t, s, suite.Day, 10*time.Second, a)
}

// Attempts at the same moment, in two processes if the engine supports that, share
// one of their limits with attempts at something else.
func TestLimitHoldsForSimultaneousAttempts(t *testing.T) {
	stores := suite.OpenTwice(t)
	var through, elsewhere atomic.Int32
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			limits, count := []signin.Rate{limit("account"), {Name: []byte("address"), Burst: 100, Every: time.Minute}}, &through
			if i%3 == 0 {
				limits, count = []signin.Rate{limit(fmt.Sprint("other ", i%2)), limits[1]}, &elsewhere
			}
			wait, err := stores[i%2].Guesses.TakeAttempt(t.Context(), suite.Day, limits...)
			if err != nil {
				t.Error(err)
			} else if wait == 0 {
				count.Add(1)
			}
		})
	}
	all.Wait()
	if through.Load() != 3 || elsewhere.Load() != 6 {
		t.Errorf("%d and %d went through, want 3 and 6", through.Load(), elsewhere.Load())
	}
	for range 100 - 9 {
		waits(t, stores[0], suite.Day, 0, signin.Rate{Name: []byte("address"), Burst: 100, Every: time.Minute})
	}
	waits(t, stores[1], suite.Day, time.Minute, signin.Rate{Name: []byte("address"), Burst: 100, Every: time.Minute})
}

func TestExpiredAttemptsAreDeleted(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	for i := range 50 {
		waits(t, s, suite.Day.Add(time.Duration(i)*time.Millisecond), 0, limit(fmt.Sprint(i)))
	}
	for i := range 50 {
		waits(t, s, suite.Day.Add(time.Hour+time.Duration(i)*time.Hour), 0, limit("a later one"))
	}
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	var n int
	must(t, raw.QueryRow(`SELECT count(*) FROM attempts`).Scan(&n))
	if n != 1 {
		t.Errorf("%d names are kept, want 1", n)
	}
}

func TestAttemptFailsWithoutTheDatabase(t *testing.T) {
	s := suite.Open(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if wait, err := s.Guesses.TakeAttempt(ended, suite.Day, limit("a")); err == nil {
		t.Errorf("it waits %s, and there is no error", wait)
	}
}

// BenchmarkAttempt measures what counting adds to an attempt that succeeds.
func BenchmarkAttempt(b *testing.B) {
	s := suite.Open(b)
	for b.Loop() {
		_, err := s.Guesses.TakeAttempt(b.Context(), suite.Day, limit("account"), limit("address"))
		must(b, err)
		must(b, s.Guesses.GiveBackAttempt(b.Context(), suite.Day, limit("account"), limit("address")))
	}
}
