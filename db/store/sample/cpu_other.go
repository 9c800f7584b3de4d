//go:build !linux

package sample

import "time"

var began = time.Now()

// cpuTime returns the time that has passed: the CPU time of one thread is not to
// be had everywhere.
func cpuTime() time.Duration { return time.Since(began) }
