package watch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// BenchmarkSingleBesideBatch watches 10,000 running videos of one person and, for its
// first minute, a single video of another. It reports the longest time between two
// queries about the single video, their number, all queries per second, and this
// process's CPU time.
//
//	go test -run ^$ -bench SingleBesideBatch -benchtime 1x ./handlers/watch
func BenchmarkSingleBesideBatch(b *testing.B) {
	for b.Loop() {
		s := &punctual{done: map[string]time.Time{}, takes: func(*rand.Rand) time.Duration { return time.Hour }, single: "10001"}
		for i := range 10_000 {
			s.done[fmt.Sprint(i)] = time.Now().Add(time.Hour)
		}
		store, start := newWatched(b, s)
		addRunning(b, store, 10_000)
		stop := start()
		time.Sleep(15 * time.Second) // by then all are due
		single := db.Task{UserID: 2, FormToken: "single", Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
		queue(b, store, &single)
		began, before, asked := time.Now(), handlerstest.Processor(), s.asked()
		time.Sleep(time.Minute)
		spent, elapsed, queries := handlerstest.Processor()-before, time.Since(began), s.asked()-asked
		stop()
		longest, ofSingle := s.longestGap()
		b.ReportMetric(longest.Seconds(), "s-longest-gap")
		b.ReportMetric(float64(ofSingle), "queries-of-single")
		b.ReportMetric(float64(queries)/elapsed.Seconds(), "queries/s")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
	}
}
