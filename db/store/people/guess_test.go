package people_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
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
