//go:build !unix

package costtest

import "time"

// Processor returns 0, because the CPU time of the process is only measured on Unix.
func Processor() time.Duration { return 0 }
