package schedule_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

const poll = 3 * time.Second

// A plan returns how long to wait before the next query about a video of this
// age that was queried asked times before.
type plan func(age time.Duration, asked int) time.Duration

// growing is the plan without a usual time that Dailies used before it had
// Pace.
func growing(age time.Duration, asked int) time.Duration {
	if age > 20*time.Minute {
		return 30 * time.Second
	}
	return min(time.Duration(float64(poll)*math.Pow(1.2, float64(asked))), 15*time.Second)
}

// watched is the result of querying by a plan: percentiles of the wait from a
// video's success to the query that reports it, and the number of queries.
type watched struct {
	p50, p99 time.Duration
	mean     float64 // queries per video
}

func watch(r *rand.Rand, takes []time.Duration, pause plan) watched {
	var waits []time.Duration
	questions := 0
	for _, take := range takes {
		age := time.Duration(0)
		for asked := 0; age < take; asked++ {
			wait := pause(age, max(0, asked-1))
			age += wait + time.Duration(r.Int64N(int64(wait)/10+1))
			questions++
		}
		waits = append(waits, age-take)
	}
	slices.Sort(waits)
	return watched{waits[len(waits)/2], waits[len(waits)*99/100], float64(questions) / float64(len(takes))}
}

// around draws n durations from a normal distribution, in seconds.
func around(r *rand.Rand, mean, deviation float64, n int) []time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = time.Duration(max(1, mean+deviation*r.NormFloat64()) * float64(time.Second))
	}
	return times
}

// usualTimes lists kinds of videos: the mean and the standard deviation of the
// seconds that they take.
var usualTimes = [][2]float64{{30, 5}, {45, 9}, {60, 10}, {90, 15}, {120, 20}, {60, 0}, {100, 3}}

func TestVideoIsReadySoonAfterItsUsualTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, u := range usualTimes {
		var p50, p99, now, before float64
		const draws = 8
		for range draws {
			pace := schedule.PaceOf(around(r, u[0], u[1], 50), nil, poll)
			videos := around(r, u[0], u[1], 1000)
			w := watch(r, videos, pace.Pause)
			p50, p99, now = p50+w.p50.Seconds()/draws, p99+w.p99.Seconds()/draws, now+w.mean
			before += watch(r, videos, growing).mean
		}
		if p50 > 3 || p99 > 8 || now > 1.2*before {
			t.Errorf("%v s: p50 %.1f s, p99 %.1f s, %.0f questions instead of %.0f", u, p50, p99, now, before)
		}
	}
}

func TestUnknownKindIsQueriedWithinTheAllowance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pace := schedule.PaceOf(nil, nil, poll)
	for _, mean := range []float64{10, 20, 45, 60, 90, 120, 180, 300, 900} {
		videos := around(r, mean, mean/10, 2000)
		before, now := watch(r, videos, growing), watch(r, videos, pace.Pause)
		if now.mean > 1.21*before.mean || now.p99 > max(8*time.Second, before.p99*11/10) {
			t.Errorf("%v s: p99 %v, %.1f questions instead of %.1f", mean, now.p99, now.mean, before.mean)
		}
	}
}

// Whatever the history, a pause is never shorter than the configured minimum, never
// longer than half a minute while a video is young, and long for a video that never
// ends.
func TestPausesAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		took := make([]time.Duration, r.IntN(60))
		for j := range took {
			took[j] = time.Duration(math.Pow(10, r.Float64()*15)) * time.Nanosecond * time.Duration(r.IntN(4)-1)
		}
		if i%2 == 0 && len(took) > 0 {
			took = append(around(r, 60, 10, 49), 72*time.Hour) // as if Dailies had been off
		}
		for _, poll := range []time.Duration{time.Millisecond, 3 * time.Second, time.Minute} {
			pace := schedule.PaceOf(took, around(r, 60, 30, 20), poll)
			for age := time.Duration(0); age < 10*time.Minute; age += 777 * time.Millisecond {
				if p := pace.Pause(age, int(age/(7*time.Second))); p < poll || p > max(poll, 30*time.Second) {
					t.Fatalf("%v after %v with %v, from %v", p, age, poll, took)
				}
			}
			if p := pace.Pause(7*time.Hour, 2000); i%2 == 0 && p < 5*time.Minute {
				t.Errorf("%v after seven hours, from %v", p, took)
			}
		}
	}
}

// Of many videos that began together, the quick ones finish first.
func TestVideosThatBeganTogetherAreQueriedWithinTheAllowance(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, known := range []int{0, 50} {
		past := around(r, 90, 15, known)
		videos := around(r, 90, 15, 500)
		next, asked := make([]time.Duration, len(videos)), make([]int, len(videos))
		var waits []time.Duration
		pace, questions := schedule.PaceOf(past, nil, poll), 0
		for now := time.Duration(0); len(waits) < len(videos); now += 250 * time.Millisecond {
			if now%(5*time.Second) == 0 {
				var running []time.Duration
				for range len(videos) - len(waits) {
					running = append(running, now)
				}
				pace = schedule.PaceOf(past[max(0, len(past)-200):], running, poll)
			}
			for i, take := range videos {
				if next[i] < 0 || next[i] > now {
					continue
				}
				if questions++; now >= take {
					waits, past = append(waits, now-take), append(past, now)
					next[i] = -1
					continue
				}
				pause := pace.Pause(now, asked[i])
				next[i] = now + pause + time.Duration(r.Int64N(int64(pause)/10+1))
				asked[i]++
			}
		}
		slices.Sort(waits)
		p50, p99, mean := waits[len(waits)/2], waits[len(waits)*99/100], float64(questions-len(videos))/float64(len(videos))
		before := watch(r, videos, growing).mean
		if p50 > 3500*time.Millisecond || p99 > 8*time.Second || mean > 1.25*before {
			t.Errorf("%d known before: p50 %v, p99 %v, %.1f questions instead of %.1f", known, p50, p99, mean, before)
		}
	}
}

// BenchmarkPace compares the plans for videos with these usual times: the wait
// from success to the query that reports it, and the number of queries.
//
//	go test -run ^$ -bench Pace -benchtime 1x ./db
func BenchmarkPace(b *testing.B) {
	for _, u := range append(usualTimes, [2]float64{60, 20}, [2]float64{180, 30}, [2]float64{300, 50}) {
		r := rand.New(rand.NewPCG(7, 8))
		videos := around(r, u[0], u[1], 10_000)
		for name, pause := range map[string]plan{
			"growing": growing, "unknown": schedule.PaceOf(nil, nil, poll).Pause, "known": schedule.PaceOf(around(r, u[0], u[1], 50), nil, poll).Pause,
		} {
			b.Run(fmt.Sprintf("%vs±%vs/%s", u[0], u[1], name), func(b *testing.B) {
				for b.Loop() {
					w := watch(r, videos, pause)
					b.ReportMetric(w.p50.Seconds(), "s-p50")
					b.ReportMetric(w.p99.Seconds(), "s-p99")
					b.ReportMetric(w.mean, "questions/video")
				}
			})
		}
	}
}

// A few videos say nothing about their kind, so the pauses grow with the age.
func TestAFewVideosMakeNoUsualTime(t *testing.T) {
	took := []time.Duration{90 * time.Second, 91 * time.Second, 92 * time.Second, 93 * time.Second}
	nothing, few := schedule.PaceOf(nil, nil, poll), schedule.PaceOf(took, nil, poll)
	for age := time.Duration(0); age < 10*time.Minute; age += 10 * time.Second {
		if got, want := few.Pause(age, 2), nothing.Pause(age, 2); got != want {
			t.Errorf("at %v: %v, want %v", age, got, want)
		}
	}
	known := schedule.PaceOf(append(took, 94*time.Second), nil, poll)
	if known.Pause(0, 2) == nothing.Pause(0, 2) {
		t.Error("five videos tell nothing either")
	}
}

// Videos of some kinds take very different times. Then the pauses are longer, so that
// the queries stay within the allowance.
func TestAKindWithoutAUsualTimeIsQueriedWithinTheAllowance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, u := range [][2]float64{{200, 80}, {300, 150}, {500, 200}, {800, 300}} {
		var now, before float64
		for range 4 {
			pace := schedule.PaceOf(around(r, u[0], u[1], 50), nil, poll)
			videos := around(r, u[0], u[1], 1000)
			now, before = now+watch(r, videos, pace.Pause).mean, before+watch(r, videos, growing).mean
		}
		if now > 1.2*before {
			t.Errorf("%v s: %.0f questions instead of %.0f", u, now, before)
		}
	}
}

func TestATaskIsSlowAtTwiceTheUsualTime(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	known := schedule.Usual{Count: 5, Low: 14 * time.Second, High: 23 * time.Second}
	for _, tt := range []struct {
		name  string
		usual schedule.Usual
		state db.State
		after time.Duration
		slow  bool
	}{
		{"within the usual time", known, db.Processing, 23 * time.Second, false},
		{"at twice the usual time", known, db.Processing, 46 * time.Second, false},
		{"past twice the usual time", known, db.Processing, 46*time.Second + 1, true},
		{"waiting at the service", known, db.Pending, time.Minute, true},
		{"done", known, db.Success, time.Hour, false},
		{"too little history", schedule.Usual{Count: 4, High: time.Second}, db.Processing, 10 * time.Minute, false},
		{"too little history, for long", schedule.Usual{Count: 4, High: time.Second}, db.Processing, 10*time.Minute + 1, true},
		{"stated, past twice the time", schedule.Stated(time.Minute, 2*time.Minute), db.Processing, 4*time.Minute + 1, true},
		{"stated, within it", schedule.Stated(time.Minute, 2*time.Minute), db.Processing, 4 * time.Minute, false},
		{"none", schedule.Usual{}, db.Processing, time.Hour, true},
	} {
		task := db.Task{State: tt.state, CreatedAt: sent.Add(-time.Hour), AcceptedAt: sent}
		if got := tt.usual.Slow(task, sent.Add(tt.after)); got != tt.slow {
			t.Errorf("%s: slow %v", tt.name, got)
		}
	}
	if (schedule.Usual{}).Slow(db.Task{State: db.Queued, CreatedAt: sent}, sent.Add(time.Hour)) {
		t.Error("a task that was not sent is slow")
	}
}

// Where queries show the start of making, a video of which none did may have waited long.
func TestTimesAreThoseOfStartsThatWereSeen(t *testing.T) {
	made := []schedule.Made{{Took: 10 * time.Minute}, {Took: 7 * time.Second, Seen: true}, {Took: 5 * time.Second, Seen: true}}
	if got := schedule.TimesOf(made); !slices.Equal(got, []time.Duration{5 * time.Second, 7 * time.Second, 10 * time.Minute}) {
		t.Errorf("with two starts: %v", got)
	}
	made = append(made, made[1], made[2], made[2])
	if got := schedule.TimesOf(made); len(got) != 5 || got[4] != 7*time.Second {
		t.Errorf("with five starts: %v", got)
	}
	if got := schedule.TimesOf(slices.Repeat([]schedule.Made{{Took: time.Minute}}, 9)); len(got) != 9 {
		t.Errorf("of a service that never shows the start: %v", got)
	}
}

func TestTheShareOfTheUsualTimeGrowsButNeverEnds(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	usual := schedule.Usual{Count: 5, Low: 10 * time.Second, High: 20 * time.Second}
	task := db.Task{State: db.Processing, CreatedAt: sent.Add(-time.Hour), AcceptedAt: sent.Add(-time.Minute), MakingAt: sent}
	for after, want := range map[time.Duration]float64{-time.Second: 0, 0: 0, 5 * time.Second: 0.25, 19 * time.Second: 0.95, time.Hour: 0.95} {
		if got := usual.Share(task, sent.Add(after)); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	if got := (schedule.Usual{Count: 4, High: time.Second}).Share(task, sent.Add(time.Minute)); got != 0 {
		t.Errorf("without history: %v", got)
	}
}
