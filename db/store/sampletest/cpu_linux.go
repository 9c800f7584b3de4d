package sampletest

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of the calling thread so far, to the nanosecond.
func cpuTime() time.Duration {
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		return 0
	}
	return time.Duration(used.Nano())
}
