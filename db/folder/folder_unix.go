//go:build unix

package folder

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Give gives everything in the folder to the folder's owner, if root has written it: a service
// that runs as that owner reads it.
func Give(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || owner.Uid == 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}

// MayWrite returns an error unless the permissions let this user write to the folder.
// Unlike Writable, it changes nothing.
func MayWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s cannot be written by this user: %w", dir, err)
	}
	return nil
}

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
