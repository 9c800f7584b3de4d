package sampletest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"dailies/db/store"
)

// tables returns the contents of a database file with all tables and no rows. It is
// made only once, because the migrations take longer than many a test.
var tables = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "dailies.db")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Open opens the store at path, or at the address of a server, and closes it when
// the test ends. A file that does not exist is created as a copy of one with all
// tables.
func Open(tb testing.TB, path string) *store.Store {
	tb.Helper()
	return OpenIn(tb.Context(), tb, path)
}

// OpenIn is like Open, with a context that changes how the database is opened.
func OpenIn(ctx context.Context, tb testing.TB, path string) *store.Store {
	tb.Helper()
	if _, err := os.Stat(path); !store.IsAddress(path) && os.IsNotExist(err) {
		Create(tb, path)
	}
	s, err := store.Open(ctx, path)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

// Prepare creates a database file that Fill has filled. If DAILIES_BENCH_KEEP names a
// folder, the file is kept in it for the next run, because a million videos take minutes
// to add.
func Prepare(tb testing.TB, path string, finished, running int) {
	tb.Helper()
	keep := os.Getenv("DAILIES_BENCH_KEEP")
	kept := filepath.Join(keep, fmt.Sprintf("%d-%d.db", finished, running))
	if file, err := os.ReadFile(kept); keep != "" && err == nil {
		must(tb, os.WriteFile(path, file, 0o600))
		return
	}
	Create(tb, path)
	s, err := store.Open(tb.Context(), path)
	must(tb, err)
	Fill(tb, s, path, finished, running)
	must(tb, s.Close())
	if keep != "" {
		must(tb, store.Copy(tb.Context(), path, kept))
	}
}

// Create creates a database file with all tables and no rows.
func Create(tb testing.TB, path string) {
	tb.Helper()
	file, err := tables()
	must(tb, err)
	must(tb, os.WriteFile(path, file, 0o600))
}

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
