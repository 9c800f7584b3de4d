package picture

import (
	"errors"
	"fmt"
	"time"
)

// A Finding is the result of checking an address or an upload.
type Finding struct {
	Fault  Fault  // Fine if the picture is usable
	Info   Info   // of the picture, if there is one
	Kind   string // for Other: the actual type, as returned by sniff.Type
	Status int    // for Answered: the HTTP status
	// Wait is the time after which an address that was not checked, Waited or Skipped, can be.
	Wait time.Duration
	// Within is the time in which a Slow picture did not come.
	Within time.Duration
}

// IsUnchecked reports whether the address was not looked at, so that nothing is known.
func (f Finding) IsUnchecked() bool { return f.Fault == Waited || f.Fault == Skipped }

// A Fault says why there is no usable picture.
type Fault int

// The faults.
const (
	Fine        Fault = iota
	Slow              // no picture within Timeout; it may be usable nevertheless
	Private           // a private address, which the server does not fetch from
	Nowhere           // the host name cannot be resolved
	Unreachable       // the server does not respond
	Answered          // the server responds with an error
	Other             // not a picture
	Broken            // a damaged picture
	TooManyBytes
	TooManyPixels
	Waited  // not checked because the queue was too long; it may be usable
	Skipped // not checked because the person had too many checked; it may be usable
)

// String names the fault for a log or a test.
func (f Fault) String() string {
	names := [...]string{"fine", "slow", "private", "nowhere", "unreachable", "answered", "other", "broken", "too many bytes", "too many pixels", "waited", "skipped"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("fault %d", int(f))
	}
	return names[f]
}

// faultOf returns the fault for an error of Inspect. For an error of the connection, it
// returns Unreachable.
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

// FindingOf returns the Finding for the results of Inspect or Clean.
func FindingOf(info Info, err error) Finding {
	f := Finding{Fault: faultOf(err), Info: info}
	var other *OtherError
	if errors.As(err, &other) {
		f.Kind = other.Kind
	}
	return f
}
