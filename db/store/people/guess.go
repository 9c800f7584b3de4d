package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
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
func (s *Guesses) TakeGuess(ctx context.Context, now time.Time, limits ...db.SlowLimit) (guesses []db.Guess, wait time.Duration, err error) {
	if _, wait, err := nextGuesses(ctx, s.db.Reads, now, limits); wait > 0 || err != nil {
		return nil, wait, engine.About("guesses", err) // a flood of guesses costs no write
	}
	err = s.db.WriteAccess(ctx, func(tx *sql.Tx) error {
		if guesses, wait, err = nextGuesses(ctx, tx, now, limits); wait > 0 || err != nil {
			return err
		}
		for _, g := range guesses {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO guesses (name, wrong, at) VALUES ($1, $2, $3)
				ON CONFLICT (name) DO UPDATE SET wrong = excluded.wrong, at = excluded.at`, g.Name, g.Wrong, engine.Instant(g.At))
			if err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM guesses WHERE at <= $1`, engine.Instant(now.Add(-guessesKept)))
		return err
	})
	if wait > 0 || err != nil {
		guesses = nil
	}
	return guesses, wait, engine.About("guesses", err)
}

// guessesKept is how long wrong guesses are kept: until all of them are forgotten.
const guessesKept = 200 * db.GuessLife

func nextGuesses(ctx context.Context, from engine.Querier, now time.Time, limits []db.SlowLimit) (guesses []db.Guess, wait time.Duration, err error) {
	for _, l := range limits {
		var last db.Guess
		err := from.QueryRowContext(ctx, `SELECT wrong, at FROM guesses WHERE name = $1`, l.Name).Scan(&last.Wrong, (*engine.Instant)(&last.At))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, 0, err
		}
		next, more := l.Next(last, now)
		guesses, wait = append(guesses, next), max(wait, more)
	}
	return guesses, wait, nil
}

// GiveBackGuess undoes TakeGuess, because the guess was right.
func (s *Guesses) GiveBackGuess(ctx context.Context, guesses ...db.Guess) error {
	return engine.About("guesses", s.db.WriteAccess(ctx, func(tx *sql.Tx) error {
		for _, g := range guesses {
			_, err := tx.ExecContext(ctx, `
				UPDATE guesses SET wrong = wrong - 1, at = CASE WHEN at = $1 THEN CAST($2 AS BIGINT) ELSE at END
				WHERE name = $3 AND wrong > 0`, engine.Instant(g.At), g.Before.UnixMilli(), g.Name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM guesses WHERE name = $1 AND wrong = 0`, g.Name); err != nil {
				return err
			}
		}
		return nil
	}))
}

// ForgetGuesses forgets all guesses that were counted under the names.
func (s *Guesses) ForgetGuesses(ctx context.Context, names ...[]byte) error {
	return engine.About("guesses", s.db.WriteAccess(ctx, func(tx *sql.Tx) error {
		for _, name := range names {
			if _, err := tx.ExecContext(ctx, `DELETE FROM guesses WHERE name = $1`, name); err != nil {
				return err
			}
		}
		return nil
	}))
}
