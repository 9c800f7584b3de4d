package signin

import "time"

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
