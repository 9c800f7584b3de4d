package sample

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of the calling thread so far.
func cpuTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
