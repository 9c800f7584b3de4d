package signin

import "time"

// A Backoff allows Free wrong guesses, for example at a one-time code. After that it
// allows one at a time, with pauses of First, twice First and so on, up to Longest. One
// wrong guess is forgotten with each GuessLife.
type Backoff struct {
	Name           []byte // a hash that identifies whose guesses are counted
	Free           int
	First, Longest time.Duration
}

// GuessLife is the time with which one wrong guess is forgotten.
const GuessLife = 24 * time.Hour

// A Guess is a guess that counts against a Backoff until it is given back.
type Guess struct {
	Name  []byte
	Wrong int       // wrong guesses, with this one
	At    time.Time // of this guess
	// Before is when the guess before this one was made. It is later than that by the
	// time that has been used to forget wrong ones.
	Before time.Time
}

// Reaches reports whether the guess is the last one that the limit allows without a
// pause.
func (l Backoff) Reaches(g Guess) bool { return g.Wrong == l.Free }

// Next returns the guess that is made now, after g, whose Wrong is 0 if there was none.
// wait is how long the limit does not allow it yet.
func (l Backoff) Next(g Guess, now time.Time) (next Guess, wait time.Duration) {
	if g.Wrong > 0 && g.At.After(now.Add(time.Hour)) {
		g.At = now.Add(-l.Longest) // it was recorded while a clock was wrong
	}
	if pause := l.pause(g.Wrong); pause > 0 { // otherwise g.At may be later than now, if both are made at the same moment
		wait = g.At.Add(pause).Sub(now)
	}
	if forgotten := min(int(now.Sub(g.At)/GuessLife), g.Wrong); forgotten > 0 {
		g.Wrong -= forgotten
		g.At = g.At.Add(time.Duration(forgotten) * GuessLife)
	}
	return Guess{Name: l.Name, Wrong: min(g.Wrong+1, l.most()), At: now, Before: g.At}, max(0, wait)
}

// pause returns the time between the last of so many wrong guesses and the next one.
func (l Backoff) pause(wrong int) time.Duration {
	if wrong < l.Free {
		return 0
	}
	pause := l.First
	for range wrong - l.Free {
		if pause *= 2; pause >= l.Longest {
			return l.Longest
		}
	}
	return min(pause, l.Longest)
}

// most returns the number of wrong guesses beyond which the pause does not grow.
func (l Backoff) most() int {
	wrong := l.Free
	for l.pause(wrong) < l.Longest {
		wrong++
	}
	return wrong
}

// A Rate allows Burst attempts at a password or a link at once, and after that one
// in every interval.
type Rate struct {
	Name  []byte // a hash that identifies whose attempts are counted
	Burst int
	Every time.Duration
}

// Stale returns the latest time at which the limit can have all its attempts back,
// with a margin. A later stored time was written while a clock was wrong, and does
// not count.
func (l Rate) Stale(now time.Time) time.Time { return now.Add(2 * time.Duration(l.Burst) * l.Every) }

// Left returns the latest time of having all attempts back that still leaves one
// attempt for now.
func (l Rate) Left(now time.Time) time.Time { return now.Add(time.Duration(l.Burst-1) * l.Every) }
