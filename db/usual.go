package db

import (
	"cmp"
	"slices"
	"time"
)

// Usual says how long past tasks of the same kind took from sending to the end: the
// range of the middle half of them.
type Usual struct {
	Count     int // tasks that the figures are based on
	Low, High time.Duration
}

const (
	// enoughUsual is how many past tasks are needed for a usual time.
	enoughUsual = 3

	// slowAnyway is how long a task without a usual time may take before it counts
	// as slow.
	slowAnyway = 10 * time.Minute
)

// Known reports whether there are enough past tasks for a usual time.
func (u Usual) Known() bool { return u.Count >= enoughUsual && u.High > 0 }

// Slow reports whether a running task has taken more than twice the usual time
// since it was sent. A task that was not sent yet is not slow.
func (u Usual) Slow(t Task, now time.Time) bool {
	return t.State.Running() && sinceSent(t, now) > u.limit()
}

// SlowAt returns the time from which Slow is true of the task if it is still running
// then, or the zero time if it was not sent yet.
func (u Usual) SlowAt(t Task) time.Time {
	if t.SentAt.IsZero() {
		return time.Time{}
	}
	return t.SentAt.Add(u.limit() + time.Millisecond)
}

// limit returns how long a task may take before it counts as slow.
func (u Usual) limit() time.Duration {
	if u.Known() {
		return 2 * u.High
	}
	return slowAnyway
}

// Share returns which part of the usual time a running task has taken, from 0 to
// 0.95. It is 0 if no usual time is known.
func (u Usual) Share(t Task, now time.Time) float64 {
	if !u.Known() {
		return 0
	}
	return min(0.95, sinceSent(t, now).Seconds()/u.High.Seconds())
}

// sinceSent returns the time since the task's create call began, or 0 before it.
func sinceSent(t Task, now time.Time) time.Duration {
	if t.SentAt.IsZero() {
		return 0
	}
	return max(0, now.Sub(t.SentAt))
}

// A Charge says what one past video cost, and how it compares with a video that is
// to be made with the same model.
type Charge struct {
	TaskID      int64
	Credits     float64
	SameScene   bool
	SameOptions bool // those that affect the price: duration, resolution and sound
}

// An Estimate says what a video without a stated price is likely to cost.
type Estimate struct {
	Typical   Credits // the median; unknown if there are no past videos
	Low, High float64
	Count     int // videos that the figures are based on
	// Loose says that no video with these options was made yet: the figures are
	// from other options of the same model.
	Loose bool
}

const (
	// EnoughCharges is how many videos of the same scene and options suffice for an
	// estimate; with fewer, those of other scenes count too.
	EnoughCharges = 3

	// NewestCharges is how many of the newest videos an estimate is based on, so
	// that it follows a change of the price.
	NewestCharges = 5

	// newestLoose is the same for an estimate from other options, whose prices
	// differ.
	newestLoose = 20
)

// EstimateOf returns an estimate from past charges, in any order. It uses those of
// the same scene and options if there are enough of them, else those of the same
// options, else all.
func EstimateOf(charges []Charge) Estimate {
	var same, alike []Charge
	for _, c := range charges {
		if c.SameOptions {
			alike = append(alike, c)
			if c.SameScene {
				same = append(same, c)
			}
		}
	}
	switch {
	case len(same) >= EnoughCharges:
		return estimate(same, NewestCharges)
	case len(alike) > 0:
		return estimate(alike, NewestCharges)
	}
	e := estimate(charges, newestLoose)
	e.Loose = e.Count > 0
	return e
}

// estimate returns the estimate from the newest of the charges.
func estimate(charges []Charge, newest int) Estimate {
	if len(charges) == 0 {
		return Estimate{}
	}
	charges = slices.SortedFunc(slices.Values(charges), func(a, b Charge) int { return cmp.Compare(b.TaskID, a.TaskID) })
	charges = charges[:min(newest, len(charges))]
	slices.SortFunc(charges, func(a, b Charge) int { return cmp.Compare(a.Credits, b.Credits) })
	last := len(charges) - 1
	return Estimate{
		Typical: CreditsOf(charges[len(charges)/2].Credits), Low: charges[0].Credits, High: charges[last].Credits, Count: len(charges),
	}
}
