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

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func slow(name string) signin.Backoff {
	return signin.Backoff{Name: []byte(name), Free: 3, First: time.Minute, Longest: time.Hour}
}

func TestGuessesAreCountedAndGivenBack(t *testing.T) {
	s := suite.Open(t)
	take := func(at time.Time, want time.Duration, limits ...signin.Backoff) []signin.Guess {
		t.Helper()
		guesses, wait, err := s.Guesses.TakeGuess(t.Context(), at, limits...)
		must(t, err)
		if wait != want || (wait > 0) != (guesses == nil) {
			t.Errorf("it waits %s with %d guesses, want %s", wait, len(guesses), want)
		}
		return guesses
	}
	a, b := slow("a"), slow("b")
	for range 10 { // right ones leave nothing behind
		must(t, s.Guesses.GiveBackGuess(t.Context(), take(suite.Day, 0, a, b)...))
	}
	for range 3 {
		take(suite.Day, 0, a)
	}
	take(suite.Day, time.Minute, b, a) // counts nothing for b
	at := suite.Day.Add(time.Minute)
	must(t, s.Guesses.GiveBackGuess(t.Context(), take(at, 0, a)...))
	take(at, 0, a) // the pause before the right one is over
	take(at, 2*time.Minute, a)
	for range 3 {
		take(at, 0, b)
	}
	must(t, s.Guesses.ForgetGuesses(t.Context(), a.Name, []byte("unknown")))
	take(at, 0, a)
	take(at, time.Minute, b)
	take(at.Add(3*signin.GuessLife), 0, b)
	take(at.Add(3*signin.GuessLife), 0, b) // wrong ones are forgotten by the day
	take(at.Add(400*signin.GuessLife), 0, b)
}

// Guesses at the same moment are counted one by one, in two processes if the engine
// supports that.
func TestGuessesAtTheSameMomentDoNotMultiply(t *testing.T) {
	stores := suite.OpenTwice(t)
	for round, want := range []int32{3, 1, 1} {
		var through atomic.Int32
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				_, wait, err := stores[i%2].Guesses.TakeGuess(t.Context(), suite.Day.Add(time.Duration(round)*10*time.Minute), slow("a"), slow("network"))
				if err != nil {
					t.Error(err)
				} else if wait == 0 {
					through.Add(1)
				}
			})
		}
		all.Wait()
		if through.Load() != want {
			t.Errorf("round %d: %d guesses, want %d", round, through.Load(), want)
		}
	}
}

func TestManyWrongCodesAreRecordedAndMailed(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Member)
	ctx := audit.Acting(t.Context(), audit.Actor{Address: "192.0.2.7"})
	before, err := s.SecondSteps.Guessed(t.Context(), kim.ID, suite.Day)
	must(t, err)
	must(t, s.SecondSteps.RecordGuesses(ctx, kim.ID, 8))
	e, err := s.SecondSteps.Guessed(t.Context(), kim.ID, suite.Day)
	must(t, err)
	mails, err := s.Mail.Mails(t.Context(), 10)
	must(t, err)
	if before.ID != 0 || e.Action != audit.CodesGuessed || e.Actor.Address != "192.0.2.7" || len(mails) != 1 || mails[0].UserID != kim.ID || mails[0].Details.Action != audit.CodesGuessed {
		t.Errorf("%+v, %+v, %+v", before, e, mails)
	}
	if e, err = s.SecondSteps.Guessed(t.Context(), kim.ID, db.Now().Add(time.Hour)); err != nil || e.ID != 0 {
		t.Errorf("an old one is shown: %+v, %v", e, err)
	}
}

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
