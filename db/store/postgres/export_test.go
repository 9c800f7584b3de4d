package postgres

import "time"

// BeQuietFor lets a connection that listens be tried after the time.
func BeQuietFor(d time.Duration) (reset func()) {
	before := quiet
	quiet = d
	return func() { quiet = before }
}
