//go:build !unix

package folder

import "os"

// MayWrite returns an error unless the folder is there. On this system, only writing to
// it would tell whether this user may.
func MayWrite(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// Give does nothing where files have no such owners.
func Give(string) error { return nil }

// lockID returns an empty text: here, files cannot be identified.
func lockID(string) string { return "" }
