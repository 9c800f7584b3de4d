package postgres

import "time"

// BeQuietFor sets after how much silence a listening connection is tested.
func BeQuietFor(d time.Duration) (reset func()) {
	before := quiet
	quiet = d
	return func() { quiet = before }
}
