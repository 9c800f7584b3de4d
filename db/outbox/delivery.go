package outbox

import (
	"time"

	"dailies/db"
)

// A Delivery tells a webhook of one event. Its receiver may get it more than once, always
// with the same name.
type Delivery struct {
	ID              int64
	Name            string // identifies the delivery to the receiver
	WebhookID       int64
	Event           Event
	TaskID          int64    // of the video that it is about; 0 for none
	NoteID          int64    // of the note that it is about; 0 for none
	GuestID         int64    // of the guest whose answer it is about; 0 for none
	CreditRequestID int64    // of the request to spend more that it is about; 0 for none
	State           db.State // the state that the task reached; empty if it is not about that
	Outcome         Outcome
	HTTP            int    // status of the last response; 0 if there was none
	Problem         string // what went wrong last
	Tries           int
	CreatedAt       time.Time
	TriedAt         time.Time
	// NextAt is when it is next attempted. It is zero if it has an outcome, and while its
	// webhook is paused.
	NextAt time.Time
}

// An Outcome says what became of a delivery.
type Outcome string

const (
	Waiting   Outcome = ""
	Delivered Outcome = "delivered"
	GaveUp    Outcome = "gave up"
)

// An Attempt is one attempt at a delivery.
type Attempt struct {
	HTTP    int           // status of the response; 0 if there was none
	Problem string        // what went wrong; empty if the receiver accepted it
	Wait    time.Duration // how long the receiver has asked to wait; 0 if it has not
	Final   bool          // another attempt would be useless
	At      time.Time
}

// gone is the status of a response that turns a webhook off.
const gone = 410

// pauses returns the pauses between the attempts of a delivery: about two days in
// all.
func pauses() []time.Duration {
	return []time.Duration{
		10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		3 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	}
}

// record records an attempt. The delivery succeeded if the response was 2xx. Otherwise it
// waits for the next attempt, or is given up after the last. A test, which a person is
// waiting for, is attempted only once.
func (d *Delivery) record(a Attempt) {
	d.Tries++
	d.HTTP, d.Problem, d.TriedAt, d.NextAt = a.HTTP, a.Problem, a.At, time.Time{}
	switch wait := pauses(); {
	case a.HTTP/100 == 2 && a.Problem == "":
		d.Outcome = Delivered
	case a.Final || d.Event == TestSent || d.Tries > len(wait):
		d.Outcome = GaveUp
	default:
		d.NextAt = a.At.Add(wait[d.Tries-1])
	}
}

// TooFarAhead reports whether the next attempt is later than any pause could have
// set it, because the clock was wrong then, or is now.
func (d Delivery) TooFarAhead(now time.Time) bool {
	longest := 2 * time.Minute // the first attempt waits at most this long for the copy of its video
	if wait := pauses(); d.Tries > 0 {
		longest = wait[min(d.Tries, len(wait))-1]
	}
	return d.NextAt.After(now.Add(longest + time.Minute))
}
