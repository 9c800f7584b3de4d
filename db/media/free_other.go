//go:build !linux && !darwin && !freebsd

package media

// Free returns a negative number: on this system the free space is not known.
func Free(string) (int64, error) { return -1, nil }
