package people

import (
	"context"
	"time"

	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Guesses counts attempts and wrong guesses, which all processes share.
type Guesses struct {
	db *kit.DB
}

// TakeGuess counts a guess against each of the limits, before it is checked. If one of
// them does not allow it yet, it counts none and returns how long to wait. Guesses at the
// same moment are counted one after another, in all processes.
func (s *Guesses) TakeGuess(ctx context.Context, now time.Time, limits ...signin.Backoff) (guesses []signin.Guess, wait time.Duration, err error) {
	look := s.db.Reading(ctx)
	if _, wait = nextGuesses(look, now, limits); wait > 0 || !look.OK() {
		return nil, wait, engine.About("guesses", look.Err()) // a flood of guesses costs no write
	}
	err = s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		if guesses, wait = nextGuesses(tx, now, limits); !tx.OK() || wait > 0 {
			return
		}
		for _, g := range guesses {
			tx.Exec(`
				INSERT INTO guesses (name, wrong, at) VALUES ($1, $2, $3)
				ON CONFLICT (name) DO UPDATE SET wrong = excluded.wrong, at = excluded.at`, g.Name, g.Wrong, engine.Instant(g.At))
		}
		tx.Exec(`DELETE FROM guesses WHERE at <= $1`, engine.Instant(now.Add(-guessesKept)))
	})
	if wait > 0 || err != nil {
		guesses = nil
	}
	return guesses, wait, engine.About("guesses", err)
}

// guessesKept is how long wrong guesses are kept: until all of them are forgotten.
const guessesKept = 200 * signin.GuessLife

func nextGuesses(tx *engine.Tx, now time.Time, limits []signin.Backoff) (guesses []signin.Guess, wait time.Duration) {
	for _, l := range limits {
		var last signin.Guess
		tx.Row(`SELECT wrong, at FROM guesses WHERE name = $1`, l.Name).Find(&last.Wrong, (*engine.Instant)(&last.At))
		next, more := l.Next(last, now)
		guesses, wait = append(guesses, next), max(wait, more)
	}
	return guesses, wait
}

// GiveBackGuess undoes TakeGuess, because the guess was right.
func (s *Guesses) GiveBackGuess(ctx context.Context, guesses ...signin.Guess) error {
	return engine.About("guesses", s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		for _, g := range guesses {
			tx.Exec(`
				UPDATE guesses SET wrong = wrong - 1, at = CASE WHEN at = $1 THEN CAST($2 AS BIGINT) ELSE at END
				WHERE name = $3 AND wrong > 0`, engine.Instant(g.At), g.Before.UnixMilli(), g.Name)
			tx.Exec(`DELETE FROM guesses WHERE name = $1 AND wrong = 0`, g.Name)
		}
	}))
}

// ForgetGuesses forgets all guesses that were counted under the names.
func (s *Guesses) ForgetGuesses(ctx context.Context, names ...[]byte) error {
	return engine.About("guesses", s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		for _, name := range names {
			tx.Exec(`DELETE FROM guesses WHERE name = $1`, name)
		}
	}))
}
