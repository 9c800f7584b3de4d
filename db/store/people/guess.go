package people

import (
	"bytes"
	"context"
	"slices"
	"time"

	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Guesses counts attempts and wrong guesses, which all processes share.
type Guesses struct {
	db *teamdb.DB
}

// TakeGuess counts a guess against each of the limits, before it is checked. If one of
// them does not allow it yet, it counts none and returns how long to wait. Guesses at the
// same moment are counted one after another, in all processes.
func (s *Guesses) TakeGuess(ctx context.Context, now time.Time,
	limits ...signin.Backoff) (guesses []signin.Guess, wait time.Duration, err error) {
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

// TakeAttempt takes one attempt from each of the limits. If one of them has none left,
// it takes nothing, writes nothing, and returns how long to wait. All processes on the
// database share the limits.
func (s *Guesses) TakeAttempt(ctx context.Context, now time.Time, limits ...signin.Rate) (wait time.Duration, err error) {
	limits = inOrder(limits)
	for { // another request may take the last attempt in between
		look := s.db.Reading(ctx)
		if wait = waitFor(look, now, limits); wait > 0 || !look.OK() {
			return wait, engine.About("attempts", look.Err())
		}
		var taken bool
		err := s.db.EvenIfFull(ctx, func() (err error) {
			taken, err = s.takeAttempt(ctx, now, limits)
			return err
		})
		if err != nil {
			return 0, engine.About("attempts", err)
		}
		if taken {
			s.sweepAttempts(ctx, now, len(limits))
			return 0, nil
		}
	}
}

// inOrder sorts the limits, so that no two transactions wait for each other's rows.
func inOrder(limits []signin.Rate) []signin.Rate {
	return slices.SortedFunc(slices.Values(limits), func(a, b signin.Rate) int { return bytes.Compare(a.Name, b.Name) })
}

// waitFor returns how long to wait until each limit has an attempt left.
func waitFor(tx *engine.Tx, now time.Time, limits []signin.Rate) (wait time.Duration) {
	for _, l := range limits {
		var full engine.Instant
		found := tx.Row(`SELECT full_at FROM attempts WHERE name = $1`, l.Name).Find(&full)
		if at := time.Time(full); tx.OK() && found && !at.After(l.Stale(now)) {
			wait = max(wait, at.Sub(l.Left(now)))
		}
	}
	return wait
}

// takeAttempt takes the attempts, or reports that one of the limits has none left. It
// only waits for other transactions that change the same rows, and then evaluates its
// condition on the rows as they have left them.
func (s *Guesses) takeAttempt(ctx context.Context, now time.Time, limits []signin.Rate) (taken bool, err error) {
	tx, err := s.db.Writes.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, l := range limits {
		counts, err := engine.Changed(tx.ExecContext(ctx, `
			INSERT INTO attempts (name, full_at) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET full_at = CASE
				WHEN attempts.full_at > $3 AND attempts.full_at <= $4 THEN attempts.full_at + $5 ELSE excluded.full_at END
			WHERE attempts.full_at <= $6 OR attempts.full_at > $4`,
			l.Name, engine.Instant(now.Add(l.Every)), engine.Instant(now), engine.Instant(l.Stale(now)),
			l.Every.Milliseconds(), engine.Instant(l.Left(now))))
		if counts == 0 || err != nil {
			return false, err
		}
	}
	return true, tx.Commit()
}

// GiveBackAttempt returns an attempt to each limit, because the attempt was not a
// guess.
func (s *Guesses) GiveBackAttempt(ctx context.Context, now time.Time, limits ...signin.Rate) error {
	for _, l := range inOrder(limits) {
		if err := s.db.EvenIfFull(ctx, func() error { return s.giveBack(ctx, now, l) }); err != nil {
			return engine.About("attempts", err)
		}
	}
	return nil
}

func (s *Guesses) giveBack(ctx context.Context, now time.Time, l signin.Rate) error {
	gone, err := s.db.Exec(ctx, `DELETE FROM attempts WHERE name = $1 AND full_at <= $2`, l.Name, engine.Instant(now.Add(l.Every)))
	if err == nil && gone == 0 {
		_, err = s.db.Exec(ctx, `UPDATE attempts SET full_at = full_at - $1 WHERE name = $2`, l.Every.Milliseconds(), l.Name)
	}
	return err
}

// sweepAttempts deletes two expired rows for each new one, so that there are never
// many. Each is deleted by a statement of its own, because the order in which one
// statement locks several rows is undefined. Errors are left to the next sweep.
func (s *Guesses) sweepAttempts(ctx context.Context, now time.Time, added int) {
	for range 2 * added {
		gone, err := s.db.Exec(ctx, `
			DELETE FROM attempts WHERE full_at <= $1
				AND name = (SELECT name FROM attempts WHERE full_at <= $1 ORDER BY full_at LIMIT 1)`, engine.Instant(now))
		if gone == 0 || err != nil {
			return
		}
	}
}
