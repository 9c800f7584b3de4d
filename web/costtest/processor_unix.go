//go:build unix

package costtest

import (
	"syscall"
	"time"
)

// Processor returns the CPU time that this process has used so far.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
