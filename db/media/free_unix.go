//go:build linux || darwin || freebsd

package media

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes this process can still write to the folder's disk.
func Free(dir string) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return -1, fmt.Errorf("free space of %s: %w", dir, err)
	}
	// The fields' types differ between systems, and Bavail can be negative.
	free := float64(int64(disk.Bavail)) * float64(disk.Bsize)
	return int64(min(max(free, 0), math.MaxInt64/2)), nil
}
