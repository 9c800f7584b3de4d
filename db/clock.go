package db

import (
	"fmt"
	"time"
	_ "time/tzdata" // a machine without a time zone database knows the zones too
)

const (
	// clockSlack is how far the machine's clock may be from the trusted time
	// without being doubted.
	clockSlack = time.Hour

	// clockDoubt is how long the program must have run, with a clock that has
	// jumped and stays so, before it is believed.
	clockDoubt = 6 * time.Hour
)

// A Clock keeps the time by which things are deleted for good. The machine's
// clock may be wrong for a while, and what is deleted meanwhile does not come
// back. So the trusted time goes on as the program runs, and follows a jump of
// the machine's clock only when the program has run with it for some hours. A
// program that was off looks like a jump, and only deletes a little later.
type Clock struct {
	Trusted time.Time
	Latest  time.Time     // the latest that was ever trusted
	Claim   time.Time     // what the machine's clock has jumped to; zero if it is not doubted
	Held    time.Duration // how long the program has run since it did
}

// Tick returns the clock after the program has run for the duration, when the
// machine's clock says now.
func (c Clock) Tick(now time.Time, passed time.Duration) Clock {
	c.step(now, max(0, passed))
	if c.Trusted.After(c.Latest) {
		c.Latest = c.Trusted
	}
	return c
}

func (c *Clock) step(now time.Time, passed time.Duration) {
	c.Trusted = c.Trusted.Add(passed)
	if near(now, c.Trusted) {
		c.Trusted, c.Claim, c.Held = now, time.Time{}, 0
		return
	}
	if !c.Claim.IsZero() {
		c.Claim, c.Held = c.Claim.Add(passed), c.Held+passed
	}
	// A claim holds as long as the machine's clock is at least as far off, in
	// the same direction: it may have been off for a while again.
	ahead := now.After(c.Trusted)
	if c.Claim.IsZero() || ahead != c.Claim.After(c.Trusted) || !near(now, c.Claim) && now.After(c.Claim) != ahead {
		c.Claim, c.Held = now, 0
	}
	if c.Held < clockDoubt {
		return
	}
	c.Trusted, c.Claim, c.Held = c.Claim, now, 0
	if near(now, c.Trusted) {
		c.Trusted, c.Claim = now, time.Time{}
	}
}

// Due returns the time that is certain to have been reached when the machine's
// clock says now: what was due by then may be deleted.
func (c Clock) Due(now time.Time) time.Time {
	if c.Trusted.Before(now) {
		return c.Trusted
	}
	return now
}

// Since returns the time to write down for something that begins to wait for
// its deletion when the machine's clock says now. A clock that is far behind
// would make it seem to have waited already once it is right.
func (c Clock) Since(now time.Time) time.Time {
	if c.Latest.After(now.Add(clockSlack)) {
		return c.Latest
	}
	return now
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() <= clockSlack }

// ParseZone returns the time zone with a name of the tz database, such as
// "Europe/Berlin". The empty name is UTC.
func ParseZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.Local {
		return nil, fmt.Errorf("time zone %q: %w", name, ErrNotFound)
	}
	return zone, nil
}

const day = 24 * 60 * 60 // seconds

// DayOf returns the calendar day of the time in the zone, as days since 1970.
func DayOf(t time.Time, zone *time.Location) int64 {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / day
}

// MonthOf returns the month of a day that DayOf returned, such as "2026-11".
func MonthOf(days int64) string { return time.Unix(days*day, 0).UTC().Format("2006-01") }
