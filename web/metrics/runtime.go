package metrics

import (
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"time"
)

// These are the metrics of Go that Prometheus's own library for Go exports, under the same
// names: dashboards for programs in Go know them.
var (
	pauses  = family{summary, "go_gc_duration_seconds", "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", []string{"quantile"}}
	lastGC  = family{gauge, "go_memstats_last_gc_time_seconds", "Number of seconds since 1970 of last garbage collection.", nil}
	threads = family{gauge, "go_threads", "Number of OS threads created.", nil}
	version = family{gauge, "go_info", "Information about the Go environment.", []string{"version"}}
)

// A runtimeMetric is the sum of some metrics of package runtime/metrics.
type runtimeMetric struct {
	family
	of []string
}

// runtimeMetrics returns the metrics that package runtime/metrics has.
func runtimeMetrics() []runtimeMetric {
	return []runtimeMetric{
		{family{gauge, "go_gc_gogc_percent", "Heap size target percentage configured by the user, otherwise 100. This value is set by the GOGC environment variable, and the runtime/debug.SetGCPercent function. Sourced from /gc/gogc:percent.", nil}, []string{"/gc/gogc:percent"}},
		{family{gauge, "go_gc_gomemlimit_bytes", "Go runtime memory limit configured by the user, otherwise math.MaxInt64. This value is set by the GOMEMLIMIT environment variable, and the runtime/debug.SetMemoryLimit function. Sourced from /gc/gomemlimit:bytes.", nil}, []string{"/gc/gomemlimit:bytes"}},
		{family{gauge, "go_goroutines", "Number of goroutines that currently exist.", nil}, []string{"/sched/goroutines:goroutines"}},
		{family{gauge, "go_memstats_alloc_bytes", "Number of bytes allocated in heap and currently in use. Equals to /memory/classes/heap/objects:bytes.", nil}, []string{"/memory/classes/heap/objects:bytes"}},
		{family{counter, "go_memstats_alloc_bytes_total", "Total number of bytes allocated in heap until now, even if released already. Equals to /gc/heap/allocs:bytes.", nil}, []string{"/gc/heap/allocs:bytes"}},
		{family{gauge, "go_memstats_buck_hash_sys_bytes", "Number of bytes used by the profiling bucket hash table. Equals to /memory/classes/profiling/buckets:bytes.", nil}, []string{"/memory/classes/profiling/buckets:bytes"}},
		{family{counter, "go_memstats_frees_total", "Total number of heap objects frees. Equals to /gc/heap/frees:objects + /gc/heap/tiny/allocs:objects.", nil}, []string{"/gc/heap/frees:objects", "/gc/heap/tiny/allocs:objects"}},
		{family{gauge, "go_memstats_gc_sys_bytes", "Number of bytes used for garbage collection system metadata. Equals to /memory/classes/metadata/other:bytes.", nil}, []string{"/memory/classes/metadata/other:bytes"}},
		{family{gauge, "go_memstats_heap_alloc_bytes", "Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes. Equals to /memory/classes/heap/objects:bytes.", nil}, []string{"/memory/classes/heap/objects:bytes"}},
		{family{gauge, "go_memstats_heap_idle_bytes", "Number of heap bytes waiting to be used. Equals to /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", nil}, []string{"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
		{family{gauge, "go_memstats_heap_inuse_bytes", "Number of heap bytes that are in use. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes", nil}, []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
		{family{gauge, "go_memstats_heap_objects", "Number of currently allocated objects. Equals to /gc/heap/objects:objects.", nil}, []string{"/gc/heap/objects:objects"}},
		{family{gauge, "go_memstats_heap_released_bytes", "Number of heap bytes released to OS. Equals to /memory/classes/heap/released:bytes.", nil}, []string{"/memory/classes/heap/released:bytes"}},
		{family{gauge, "go_memstats_heap_sys_bytes", "Number of heap bytes obtained from system. Equals to /memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes + /memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes.", nil}, []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
		{family{counter, "go_memstats_mallocs_total", "Total number of heap objects allocated, both live and gc-ed. Semantically a counter version for go_memstats_heap_objects gauge. Equals to /gc/heap/allocs:objects + /gc/heap/tiny/allocs:objects.", nil}, []string{"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects"}},
		{family{gauge, "go_memstats_mcache_inuse_bytes", "Number of bytes in use by mcache structures. Equals to /memory/classes/metadata/mcache/inuse:bytes.", nil}, []string{"/memory/classes/metadata/mcache/inuse:bytes"}},
		{family{gauge, "go_memstats_mcache_sys_bytes", "Number of bytes used for mcache structures obtained from system. Equals to /memory/classes/metadata/mcache/inuse:bytes + /memory/classes/metadata/mcache/free:bytes.", nil}, []string{"/memory/classes/metadata/mcache/inuse:bytes", "/memory/classes/metadata/mcache/free:bytes"}},
		{family{gauge, "go_memstats_mspan_inuse_bytes", "Number of bytes in use by mspan structures. Equals to /memory/classes/metadata/mspan/inuse:bytes.", nil}, []string{"/memory/classes/metadata/mspan/inuse:bytes"}},
		{family{gauge, "go_memstats_mspan_sys_bytes", "Number of bytes used for mspan structures obtained from system. Equals to /memory/classes/metadata/mspan/inuse:bytes + /memory/classes/metadata/mspan/free:bytes.", nil}, []string{"/memory/classes/metadata/mspan/inuse:bytes", "/memory/classes/metadata/mspan/free:bytes"}},
		{family{gauge, "go_memstats_next_gc_bytes", "Number of heap bytes when next garbage collection will take place. Equals to /gc/heap/goal:bytes.", nil}, []string{"/gc/heap/goal:bytes"}},
		{family{gauge, "go_memstats_other_sys_bytes", "Number of bytes used for other system allocations. Equals to /memory/classes/other:bytes.", nil}, []string{"/memory/classes/other:bytes"}},
		{family{gauge, "go_memstats_stack_inuse_bytes", "Number of bytes obtained from system for stack allocator in non-CGO environments. Equals to /memory/classes/heap/stacks:bytes.", nil}, []string{"/memory/classes/heap/stacks:bytes"}},
		{family{gauge, "go_memstats_stack_sys_bytes", "Number of bytes obtained from system for stack allocator. Equals to /memory/classes/heap/stacks:bytes + /memory/classes/os-stacks:bytes.", nil}, []string{"/memory/classes/heap/stacks:bytes", "/memory/classes/os-stacks:bytes"}},
		{family{gauge, "go_memstats_sys_bytes", "Number of bytes obtained from system. Equals to /memory/classes/total:byte.", nil}, []string{"/memory/classes/total:bytes"}},
		{family{gauge, "go_sched_gomaxprocs_threads", "The current runtime.GOMAXPROCS setting, or the number of operating system threads that can execute user-level Go code simultaneously. Sourced from /sched/gomaxprocs:threads.", nil}, []string{"/sched/gomaxprocs:threads"}},
	}
}

// collectRuntime adds the metrics of Go.
func collectRuntime(s *scrape) {
	metrics := runtimeMetrics()
	var samples []runtimemetrics.Sample
	for _, m := range metrics {
		for _, name := range m.of {
			samples = append(samples, runtimemetrics.Sample{Name: name})
		}
	}
	runtimemetrics.Read(samples)
	for _, m := range metrics {
		var sum uint64
		for _, sample := range samples[:len(m.of)] {
			sum += sample.Value.Uint64()
		}
		samples = samples[len(m.of):]
		s.add(m.family, float64(sum))
	}
	collectPauses(s)
	count, _ := runtime.ThreadCreateProfile(nil)
	s.add(threads, float64(count))
	s.add(version, 1, runtime.Version())
}

// collectPauses adds the quantiles of the pauses of the garbage collection.
func collectPauses(s *scrape) {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	for i, pause := range stats.PauseQuantiles {
		s.add(pauses, pause.Seconds(), strconv.FormatFloat(float64(i)/4, 'g', -1, 64))
	}
	s.write(pauses, line(pauses.name+"_sum", stats.PauseTotal.Seconds()))
	s.write(pauses, line(pauses.name+"_count", float64(stats.NumGC)))
	s.add(lastGC, float64(stats.LastGC.UnixNano())/1e9)
}
