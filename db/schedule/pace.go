package schedule

import (
	"math"
	"slices"
	"time"

	"dailies/db"
)

// A Pace decides when a video is asked for again, which is how long to wait between two
// queries about a running one: long at ages at which videos of its kind never finish, short
// at ages at which most do. PaceOf makes one.
type Pace struct {
	poll   time.Duration   // the shortest pause
	marks  []time.Duration // ages that separate the zones; empty if too little is known
	pauses []time.Duration // of each zone; one fewer than marks
}

const (
	// longestPause is the longest pause while a video is young.
	longestPause = 15 * time.Second

	// dense is the longest pause at ages at which videos of the kind finish: with
	// the jitter, nobody waits more than 8 s for a finished video.
	dense = 7200 * time.Millisecond

	// sparse is the longest pause before the age at which the first videos finish.
	sparse = 30 * time.Second

	// allowance is how many queries are made for each query of a schedule that
	// knows nothing about the kind and only increases its pauses.
	allowance = 1.13

	// enoughTook is how many videos of a kind must be finished to estimate their
	// usual time.
	enoughTook = 5

	zones     = 5
	quantiles = 100
)

// PaceOf returns the pace for a kind of video, from the durations of finished
// videos and the ages of running ones, in any order. If few have finished, the
// pauses grow with the age alone.
//
// If h is the hazard rate, at which running videos finish, pauses proportional to
// 1/√h give the shortest wait for a given number of queries. The rate is estimated
// in five zones between quantiles; the factor is chosen so that the queries stay
// within the allowance.
func PaceOf(took, running []time.Duration, poll time.Duration) Pace {
	p := Pace{poll: poll}
	if len(took) < enoughTook {
		return p
	}
	took = expected(took, running)
	last := len(took) - 1
	p.marks = []time.Duration{took[len(took)/50] * 9 / 10}
	for i := 1; i < zones; i++ {
		p.marks = append(p.marks, took[last*i/zones])
	}
	p.marks = append(p.marks, took[last]*11/10+5*time.Second)
	p.pauses = make([]time.Duration, zones)
	allowed := allowance * meanQuestions(took, func(_ time.Duration, queries int) time.Duration {
		return Backoff(poll, 1.2, queries, longestPause)
	})
	for _, most := range []time.Duration{dense, 9 * time.Second, 11 * time.Second, 13 * time.Second, longestPause} {
		if p.fit(took, most, allowed) {
			break
		}
	}
	return p
}

// expected returns how long videos take, at evenly spaced quantiles. Of videos that
// began together the quick ones have finished, so the running ones must count too:
// this is the Kaplan-Meier estimate. The share that it leaves open is spread
// evenly, from the longest time known to three quarters beyond it.
func expected(took, running []time.Duration) []time.Duration {
	took = slices.Sorted(slices.Values(took))
	// A video that finished while the program was off seems to have taken days.
	most := 3 * took[len(took)/2]
	running = slices.Sorted(slices.Values(running))
	running = slices.DeleteFunc(running, func(age time.Duration) bool { return age >= most })
	var all []time.Duration
	upTo := func(share float64, at time.Duration) { // records that by then this share of the videos has finished
		for float64(len(all))+0.5 <= share*quantiles {
			all = append(all, min(max(at, 0), most))
		}
	}
	left, passed := 1.0, 0
	for i, at := range took {
		for passed < len(running) && running[passed] < at {
			passed++
		}
		left *= 1 - 1/float64(len(took)-i+len(running)-passed)
		upTo(1-left, at)
	}
	last := took[len(took)-1]
	if len(running) > 0 {
		last = max(last, running[len(running)-1])
	}
	for n := float64(len(all)); len(all) < quantiles; {
		upTo(float64(len(all)+1)/quantiles, last+time.Duration(0.75*float64(last)*(float64(len(all))-n)/(quantiles-n)))
	}
	return all
}

// fit sets the pauses, each no longer than most, so that they cause as many queries
// as allowed. It reports whether that is possible.
func (p *Pace) fit(took []time.Duration, most time.Duration, allowed float64) bool {
	set := func(factor float64) {
		for i := range p.pauses {
			left := 1 - float64(i)/zones // share of the videos that is unfinished when the zone begins
			width := max(0.5, (p.marks[i+1] - p.marks[i]).Seconds())
			p.pauses[i] = p.bounded(time.Duration(factor*math.Sqrt(width*left)*float64(time.Second)), most)
		}
	}
	low, high := 0.05, 20.0
	for range 14 {
		factor := (low + high) / 2
		if set(factor); meanQuestions(took, p.Pause) > allowed {
			low = factor
		} else {
			high = factor
		}
	}
	set(high)
	return meanQuestions(took, p.Pause) <= allowed
}

// Pause returns the time until the next query about a video of this age that was
// queried asked times so far. The caller adds jitter.
func (p Pace) Pause(age time.Duration, queries int) time.Duration {
	if len(p.marks) > 0 && age < p.marks[zones] {
		if age < p.marks[0] {
			most := min(sparse, max(longestPause, p.marks[0]/6))
			return p.bounded(Backoff(p.poll, 2, queries, most), p.marks[0]-age)
		}
		i, _ := slices.BinarySearchFunc(p.marks[1:zones], age, func(mark, age time.Duration) int {
			if mark <= age {
				return -1
			}
			return 1
		})
		return p.pauses[i]
	}
	most := max(longestPause, p.poll)
	switch {
	case age > 6*time.Hour:
		return most * 20
	case age > time.Hour:
		return most * 4
	case age > 20*time.Minute:
		return most * 2
	case len(p.marks) > 0:
		return p.bounded(p.pauses[zones-1]+(age-p.marks[zones])/7, longestPause)
	}
	return p.bounded(Backoff(p.poll, 1.7, queries, longestPause), max(dense, age/9))
}

// bounded returns the pause, limited to most, but never less than poll.
func (p Pace) bounded(pause, most time.Duration) time.Duration {
	return max(p.poll, min(pause, most))
}

// Backoff returns the pause after n failed attempts: base·factor^n, but at most
// longest. The caller adds jitter.
func Backoff(base time.Duration, factor float64, n int, longest time.Duration) time.Duration {
	return time.Duration(min(float64(base)*math.Pow(factor, float64(n)), float64(longest)))
}

// meanQuestions returns how many queries a video needs on average. It
// samples every fourth quantile and, of slow videos, only the first 20 minutes.
func meanQuestions(took []time.Duration, pause func(age time.Duration, queries int) time.Duration) float64 {
	all, videos := 0, 0
	for i := 2; i < len(took); i += 4 {
		videos++
		age, end := time.Duration(0), min(took[i], 20*time.Minute)
		for queries := 0; age < end; queries++ {
			all++
			age += pause(age, max(0, queries-1)) * 21 / 20 // the jitter on average
		}
	}
	return float64(all) / float64(videos)
}

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
