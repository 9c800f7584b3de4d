package sampletest

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// Tasks returns how many tasks the benchmarks begin with: 100,000, or what the
// environment variable DAILIES_BENCH_TASKS says.
func Tasks(b *testing.B) int {
	b.Helper()
	text := os.Getenv("DAILIES_BENCH_TASKS")
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	must(b, err)
	return n
}

// Timed runs do repeatedly. It reports the median of the CPU time that do uses on
// the calling thread, and the 99th percentile of the elapsed time.
func Timed(b *testing.B, do func()) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	do() // so that its statements are prepared
	var cpu, took []time.Duration
	for b.Loop() {
		before, start := cpuTime(), time.Now()
		do()
		cpu, took = append(cpu, cpuTime()-before), append(took, time.Since(start))
	}
	slices.Sort(cpu)
	slices.Sort(took)
	b.ReportMetric(float64(cpu[len(cpu)/2].Microseconds())/1000, "p50-cpu-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
