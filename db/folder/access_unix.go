//go:build unix

package folder

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// MayWrite returns an error unless the permissions let this user write to the folder.
// Unlike Writable, it changes nothing.
func MayWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s cannot be written by this user: %w", dir, err)
	}
	return nil
}
