package postgres

import "time"

// NewPulse returns functions that send a heartbeat of a process, and that tell whether it
// knows too little about the others to count any of them as gone.
func NewPulse() (beat func(), recovers func() bool) {
	d := &DB{}
	return func() { d.beat(time.Now()) }, d.recovers
}

// BeQuietFor sets after how much silence a listening connection is tested.
func BeQuietFor(d time.Duration) (reset func()) {
	before := quiet
	quiet = d
	return func() { quiet = before }
}
