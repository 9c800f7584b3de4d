//go:build !linux

package sampletest

import "time"

var began = time.Now()

// cpuTime returns the elapsed time, because the CPU time of one thread is not
// available on every system.
func cpuTime() time.Duration { return time.Since(began) }
