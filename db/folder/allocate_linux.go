package folder

import (
	"os"
	"syscall"
)

// allocate gives the file disk space without writing anything. Some file systems cannot.
func allocate(file *os.File, size int64) error {
	return syscall.Fallocate(int(file.Fd()), 0, 0, size)
}
