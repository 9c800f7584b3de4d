package picture

import (
	"errors"
	"fmt"
)

// A Finding is what stands behind an address.
type Finding struct {
	Fault  Fault  // 0 if the picture will do
	Info   Info   // of the picture, where there is one
	Kind   string // with Other: what it is instead, as sniff.Type names it
	Status int    // with Answered: the HTTP status
}

// A Fault is why an address will not do.
type Fault int

// The faults.
const (
	Fine        Fault = iota
	Slow              // no picture within Patience; it may still come
	Private           // the guard did not allow the address
	Nowhere           // no server of this name is known here
	Unreachable       // the server does not answer
	Answered          // the server answers with an error
	Other             // something else than a picture
	Broken            // a picture that is damaged
	TooManyBytes
	TooManyPixels
	Waited // there was no time to look; it may be as good as any
)

// String names the fault for a log or a test.
func (f Fault) String() string {
	names := [...]string{"fine", "slow", "private", "nowhere", "unreachable", "answered", "other", "broken", "too many bytes", "too many pixels", "waited"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("fault %d", int(f))
	}
	return names[f]
}

// faultOf sorts an error of Inspect; one of the connection is Unreachable.
func faultOf(err error) Fault {
	var other *OtherError
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &other):
		return Other
	case errors.Is(err, ErrTooManyBytes):
		return TooManyBytes
	case errors.Is(err, ErrTooManyPixels):
		return TooManyPixels
	case errors.Is(err, ErrBroken):
		return Broken
	}
	return Unreachable
}

// FindingOf returns what an error of Clean comes to.
func FindingOf(info Info, err error) Finding {
	f := Finding{Fault: faultOf(err), Info: info}
	var other *OtherError
	if errors.As(err, &other) {
		f.Kind = other.Kind
	}
	return f
}
