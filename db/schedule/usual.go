package schedule

import (
	"slices"
	"time"

	"dailies/db"
)

// Usual says how long tasks of the same kind take from the start of making to the end: the range of
// the middle half of the past ones, or what is stated about their model.
type Usual struct {
	Count     int // tasks that the figures are based on; 0 if they are stated
	Low, High time.Duration
}

const (
	// enoughUsual is how many past tasks are needed for a usual time. With fewer, a single
	// slow one would decide.
	enoughUsual = 5

	// slowAnyway is how long a task without a usual time may take before it counts
	// as slow.
	slowAnyway = 10 * time.Minute
)

// A Made says how long a finished video took from the start of its making.
type Made struct {
	Took time.Duration
	Seen bool // a query showed the start; otherwise it counts from the acceptance
}

// TimesOf returns how long making took, in ascending order. If enough starts were seen, those
// that were not do not count: at a service that shows when it begins a video, such a video may
// have waited between two queries.
func TimesOf(made []Made) (took []time.Duration) {
	seen := 0
	for _, m := range made {
		if m.Seen {
			seen++
		}
	}
	for _, m := range made {
		if m.Seen || seen < enoughUsual {
			took = append(took, m.Took)
		}
	}
	slices.Sort(took)
	return took
}

// Stated returns the usual time that somebody states about a kind of task, none of which
// needs to have ended yet.
func Stated(low, high time.Duration) Usual { return Usual{Low: low, High: high} }

// Known reports whether a usual time can be told: there are enough past tasks, or it is
// stated.
func (u Usual) Known() bool { return (u.Count == 0 || u.Measured()) && u.High > 0 }

// Measured reports whether there are enough past tasks for a usual time.
func (u Usual) Measured() bool { return u.Count >= enoughUsual && u.High > 0 }

// Slow reports whether a running task has taken more than twice the usual time
// since it was begun. A task that the service has not accepted yet is not slow.
func (u Usual) Slow(t db.Task, now time.Time) bool {
	return t.State.Running() && sinceStart(t, now) > u.limit()
}

// SlowAt returns the time from which Slow is true of the task if it is still running
// then, or the zero time if the service has not accepted it yet.
func (u Usual) SlowAt(t db.Task) time.Time {
	if t.StartedAt().IsZero() {
		return time.Time{}
	}
	return t.StartedAt().Add(u.limit() + time.Millisecond)
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
func (u Usual) Share(t db.Task, now time.Time) float64 {
	if !u.Known() {
		return 0
	}
	return min(0.95, sinceStart(t, now).Seconds()/u.High.Seconds())
}

// sinceStart returns the time since the making of the task started, or 0 before it.
func sinceStart(t db.Task, now time.Time) time.Duration {
	if t.StartedAt().IsZero() {
		return 0
	}
	return max(0, now.Sub(t.StartedAt()))
}
