package metrics

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"time"

	series "github.com/VictoriaMetrics/metrics"
)

// These are the metrics of Go that Prometheus's own library for Go exports, under the same
// names: dashboards for programs in Go know them. Their help is ours.
var (
	pauses = family{summary, "go_gc_duration_seconds",
		"How long the program stood still for collections of garbage.", []string{"quantile"}}
	lastGC  = family{gauge, "go_memstats_last_gc_time_seconds", "When garbage was collected last, in Unix seconds.", nil}
	threads = family{gauge, "go_threads", "Threads that were started.", nil}
	version = family{gauge, "go_info", "The version of Go.", []string{"version"}}
)

// A runtimeMetric is the sum of some metrics of package runtime/metrics.
type runtimeMetric struct {
	family
	of []string
}

// runtimeMetrics returns the metrics that package runtime/metrics has.
func runtimeMetrics() []runtimeMetric {
	return []runtimeMetric{
		{family{gauge, "go_gc_gogc_percent", "By how much the heap may grow before the next collection.", nil}, []string{
			"/gc/gogc:percent",
		}},
		{family{gauge, "go_gc_gomemlimit_bytes", "The limit of memory that Go keeps to where it can.", nil}, []string{
			"/gc/gomemlimit:bytes",
		}},
		{family{gauge, "go_goroutines", "Goroutines.", nil}, []string{"/sched/goroutines:goroutines"}},
		{family{gauge, "go_memstats_alloc_bytes", "Memory of objects on the heap.", nil}, []string{
			"/memory/classes/heap/objects:bytes",
		}},
		{family{counter, "go_memstats_alloc_bytes_total", "Memory of all objects that were ever on the heap.", nil}, []string{
			"/gc/heap/allocs:bytes",
		}},
		{family{gauge, "go_memstats_buck_hash_sys_bytes", "Memory of what profiles count.", nil}, []string{
			"/memory/classes/profiling/buckets:bytes",
		}},
		{family{counter, "go_memstats_frees_total", "Objects that were freed, ever.", nil}, []string{
			"/gc/heap/frees:objects",
			"/gc/heap/tiny/allocs:objects",
		}},
		{family{gauge, "go_memstats_gc_sys_bytes", "Memory that the garbage collector needs for itself.", nil}, []string{
			"/memory/classes/metadata/other:bytes",
		}},
		{family{gauge, "go_memstats_heap_alloc_bytes", "Memory of objects on the heap, once more.", nil}, []string{
			"/memory/classes/heap/objects:bytes",
		}},
		{family{gauge, "go_memstats_heap_idle_bytes",
			"Memory of the heap without objects, also where the system has it back.", nil}, []string{
			"/memory/classes/heap/released:bytes",
			"/memory/classes/heap/free:bytes",
		}},
		{family{gauge, "go_memstats_heap_inuse_bytes", "Memory of the heap with objects, and what lies between them.", nil}, []string{
			"/memory/classes/heap/objects:bytes",
			"/memory/classes/heap/unused:bytes",
		}},
		{family{gauge, "go_memstats_heap_objects", "Objects on the heap.", nil}, []string{"/gc/heap/objects:objects"}},
		{family{gauge, "go_memstats_heap_released_bytes", "Memory of the heap that the system has back.", nil}, []string{
			"/memory/classes/heap/released:bytes",
		}},
		{family{gauge, "go_memstats_heap_sys_bytes", "Memory that the heap has had from the system.", nil}, []string{
			"/memory/classes/heap/objects:bytes",
			"/memory/classes/heap/unused:bytes",
			"/memory/classes/heap/released:bytes",
			"/memory/classes/heap/free:bytes",
		}},
		{family{counter, "go_memstats_mallocs_total", "Objects that were allocated, ever.", nil}, []string{
			"/gc/heap/allocs:objects",
			"/gc/heap/tiny/allocs:objects",
		}},
		{family{gauge, "go_memstats_mcache_inuse_bytes", "Memory of the caches of processors, as far as they are used.", nil}, []string{
			"/memory/classes/metadata/mcache/inuse:bytes",
		}},
		{family{gauge, "go_memstats_mcache_sys_bytes", "Memory that the caches of processors have had from the system.", nil}, []string{
			"/memory/classes/metadata/mcache/inuse:bytes",
			"/memory/classes/metadata/mcache/free:bytes",
		}},
		{family{gauge, "go_memstats_mspan_inuse_bytes",
			"Memory of what is noted of spans of the heap, as far as it is used.", nil}, []string{
			"/memory/classes/metadata/mspan/inuse:bytes",
		}},
		{family{gauge, "go_memstats_mspan_sys_bytes", "Memory for what is noted of spans of the heap.", nil}, []string{
			"/memory/classes/metadata/mspan/inuse:bytes",
			"/memory/classes/metadata/mspan/free:bytes",
		}},
		{family{gauge, "go_memstats_next_gc_bytes", "The size of the heap at which garbage is collected next.", nil}, []string{
			"/gc/heap/goal:bytes",
		}},
		{family{gauge, "go_memstats_other_sys_bytes", "Memory for anything else.", nil}, []string{"/memory/classes/other:bytes"}},
		{family{gauge, "go_memstats_stack_inuse_bytes", "Memory of the stacks of goroutines.", nil}, []string{
			"/memory/classes/heap/stacks:bytes",
		}},
		{family{gauge, "go_memstats_stack_sys_bytes", "Memory of all stacks, those of threads included.", nil}, []string{
			"/memory/classes/heap/stacks:bytes",
			"/memory/classes/os-stacks:bytes",
		}},
		{family{gauge, "go_memstats_sys_bytes", "All memory that Go has had from the system.", nil}, []string{
			"/memory/classes/total:bytes",
		}},
		{family{gauge, "go_sched_gomaxprocs_threads", "How many threads may run code of the program at a time.", nil}, []string{
			"/sched/gomaxprocs:threads",
		}},
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

// processFamilies returns the metrics of the process that Prometheus's own library for Go
// exports, under the same names.
func processFamilies() []family {
	return []family{
		{counter, "process_cpu_seconds_total", "CPU time of the process.", nil},
		{gauge, "process_max_fds", "How many files the process may have open.", nil},
		{gauge, "process_open_fds", "Files that the process has open.", nil},
		{gauge, "process_resident_memory_bytes", "Memory of the process that is in RAM.", nil},
		{gauge, "process_start_time_seconds", "When the process started, in Unix seconds.", nil},
		{gauge, "process_virtual_memory_bytes", "Addresses that the process uses.", nil},
		{gauge, "process_virtual_memory_max_bytes", "How many addresses the process may use; -1 for any number.", nil},
		{counter, "process_network_receive_bytes_total", "Bytes that came over the network.", nil},
		{counter, "process_network_transmit_bytes_total", "Bytes that went over the network.", nil},
	}
}

// collectProcess adds the metrics of the process, as far as the system has them.
func collectProcess(s *scrape) {
	var lines bytes.Buffer
	series.WriteProcMetrics(&lines)
	series.WriteFDMetrics(&lines)
	known := map[string]string{}
	for line := range strings.Lines(lines.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[name] = value
	}
	// What the library leaves out on Linux.
	if limits, err := os.ReadFile("/proc/self/limits"); err == nil {
		known["process_virtual_memory_max_bytes"] = addressSpace(string(limits))
	}
	if table, err := os.ReadFile("/proc/self/net/netstat"); err == nil {
		known["process_network_receive_bytes_total"] = netstat(string(table), "IpExt:", "InOctets")
		known["process_network_transmit_bytes_total"] = netstat(string(table), "IpExt:", "OutOctets")
	}
	for _, of := range processFamilies() {
		if value, err := strconv.ParseFloat(known[of.name], 64); err == nil {
			s.add(of, value)
		}
	}
}

// addressSpace returns the limit of the address space from the text of /proc/self/limits;
// "" if it has none.
func addressSpace(limits string) string {
	for line := range strings.Lines(limits) {
		rest, found := strings.CutPrefix(line, "Max address space")
		if fields := strings.Fields(rest); found && len(fields) > 0 {
			if fields[0] == "unlimited" {
				return "18446744073709551615"
			}
			return fields[0]
		}
	}
	return ""
}

// netstat returns a value of the text of /proc/self/net/netstat, in which a line of names
// stands above each line of values; "" if it has none.
func netstat(table, group, name string) string {
	var names []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != group {
			continue
		}
		for i := range min(len(names), len(fields)) {
			if names[i] == name {
				return fields[i]
			}
		}
		names = fields
	}
	return ""
}
