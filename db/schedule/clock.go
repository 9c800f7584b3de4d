package schedule

import "time"

const (
	// clockSlack is how far the machine's clock may differ from the trusted time
	// and still be trusted.
	clockSlack = time.Hour

	// clockDoubt is how long the program must have run since the machine's clock
	// jumped before the clock is trusted again.
	clockDoubt = 6 * time.Hour
)

// A Clock keeps the time by which things are deleted for good. The machine's clock
// may be wrong for a while, and what is deleted meanwhile cannot be restored. So
// the trusted time advances as the program runs, and follows a jump of the
// machine's clock only after the program has run with it for some hours. If the
// program was off, that looks like a jump too; things are then deleted a little
// later.
type Clock struct {
	Trusted time.Time
	Latest  time.Time     // the latest time that was ever trusted
	Claim   time.Time     // the time to which the machine's clock has jumped; zero if the clock is trusted
	Held    time.Duration // how long the program has run since that jump
}

// Tick returns the clock after the program has run for passed, when the machine's
// clock says now.
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
	// The claim stands while the machine's clock is at least that far off in the
	// same direction. It is further off if the program was off for a while again.
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

// Due returns the time that has certainly been reached when the machine's clock
// says now. Whatever was due by then may be deleted.
func (c Clock) Due(now time.Time) time.Time {
	if c.Trusted.Before(now) {
		return c.Trusted
	}
	return now
}

// Since returns the time to record for something that begins to wait for its
// deletion when the machine's clock says now. If that clock is far behind, its time
// would make the wait seem over as soon as the clock is right.
func (c Clock) Since(now time.Time) time.Time {
	if c.Latest.After(now.Add(clockSlack)) {
		return c.Latest
	}
	return now
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() <= clockSlack }
