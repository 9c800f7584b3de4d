package db

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// A Webhook is the address at which a person's own program wants to be told
// how their tasks ended.
type Webhook struct {
	UserID  int64
	Address string
	// Origin is how the person reached the app when they set it up, for links
	// where the one who runs the server has not said how others do.
	Origin    string
	Sealed    []byte // the signing secret, sealed by a Vault
	CreatedAt time.Time
}

// NewWebhookSecret returns a secret to sign with.
func NewWebhookSecret() string { return "whsec_" + NewToken() }

// Sign returns what a webhook's request says in its header Dailies-Signature:
// when it was signed, and the HMAC-SHA256 over that time in unix seconds, a
// dot, and the body.
func Sign(secret string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at.Unix())
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// A Delivery is one notice to a webhook. Its receiver may get it more than
// once, always under the same name.
type Delivery struct {
	ID        int64
	Name      string // what the receiver knows it by
	UserID    int64
	TaskID    int64 // 0 for a test
	State     State // that the task reached; empty for a test
	Outcome   Outcome
	HTTP      int    // status of the last answer, 0 without one
	Problem   string // what went wrong last
	Tries     int
	CreatedAt time.Time
	TriedAt   time.Time
	NextAt    time.Time // when it is tried next; zero for never
}

// An Outcome says what became of a delivery.
type Outcome string

const (
	Waiting   Outcome = ""
	Delivered Outcome = "delivered"
	GaveUp    Outcome = "gave up"
)

// pauses lie between the tries of a delivery: about two days in all.
func pauses() []time.Duration {
	return []time.Duration{
		10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		3 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	}
}

// Deliver records a try. The receiver has it if its answer was 2xx. Otherwise
// the notice waits for the next try, or is given up after the last. Of a test,
// which a person waits for, there is one try.
func (d *Delivery) Deliver(http int, problem string, now time.Time) {
	d.Tries++
	d.HTTP, d.Problem, d.TriedAt, d.NextAt = http, problem, now, time.Time{}
	switch wait := pauses(); {
	case http/100 == 2 && problem == "":
		d.Outcome = Delivered
	case d.TaskID == 0 || d.Tries > len(wait):
		d.Outcome = GaveUp
	default:
		d.NextAt = now.Add(wait[d.Tries-1])
	}
}

// TooFarAhead reports whether the next try lies further ahead than any pause
// could have put it: the clock was wrong then, or is now.
func (d Delivery) TooFarAhead(now time.Time) bool {
	longest := 2 * time.Minute // that the first one waits for the copy of its video
	if wait := pauses(); d.Tries > 0 {
		longest = wait[min(d.Tries, len(wait))-1]
	}
	return d.NextAt.After(now.Add(longest + time.Minute))
}
