//go:build unix

package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
