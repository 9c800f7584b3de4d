//go:build unix

package folder

import (
	"cmp"
	"fmt"
	"os"
	"syscall"
)

// lockID returns a text that identifies the lock file among all files on all machines, as
// long as this machine runs. It is empty if that is not known.
func lockID(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	file, ok := info.Sys().(*syscall.Stat_t)
	name, _ := os.Hostname()
	machine := cmp.Or(Boot(), name)
	if !ok || machine == "" {
		return ""
	}
	return fmt.Sprintf("%s %d %d", machine, file.Dev, file.Ino)
}
