package metrics

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	series "github.com/VictoriaMetrics/metrics"
)

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
