package outbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// A Webhook is the URL at which a person's own program wants to be told how their
// tasks ended.
type Webhook struct {
	UserID  int64
	Address string
	// Origin is the app's origin as the person reached it when they set up the
	// webhook. Links begin with it if -public-url is not set.
	Origin    string
	Sealed    []byte // the signing secret, sealed by a secrets.Vault
	Notes     bool   // it is told of notes and answers of guests, too
	CreatedAt time.Time
}

// Host returns the scheme and the host of the address. What follows them may be a
// secret.
func (h Webhook) Host() string {
	u, err := url.Parse(h.Address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// NewWebhookSecret returns a random secret for signing.
func NewWebhookSecret() string { return "whsec_" + secrets.NewToken() }

// Sign returns the value of a webhook request's header Dailies-Signature: the time,
// and the HMAC-SHA256 of that time in Unix seconds, a dot, and the body.
func Sign(secret string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at.Unix())
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// A Delivery is one notification to a webhook. Its receiver may get it more than
// once, always with the same name.
type Delivery struct {
	ID        int64
	Name      string // identifies the delivery to the receiver
	UserID    int64
	TaskID    int64    // 0 for a test
	NoteID    int64    // of the note that it is about; 0 for none
	GuestID   int64    // of the guest whose answer it is about; 0 for none
	State     db.State // the state that the task reached; empty for a test, a note and an answer
	Outcome   Outcome
	HTTP      int    // status of the last response; 0 if there was none
	Problem   string // what went wrong last
	Tries     int
	CreatedAt time.Time
	TriedAt   time.Time
	NextAt    time.Time // when it is next attempted; zero for never
}

// An Outcome says what became of a delivery.
type Outcome string

const (
	Waiting   Outcome = ""
	Delivered Outcome = "delivered"
	GaveUp    Outcome = "gave up"
)

// pauses returns the pauses between the attempts of a delivery: about two days in
// all.
func pauses() []time.Duration {
	return []time.Duration{
		10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		3 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	}
}

// Deliver records an attempt. The delivery succeeded if the response was 2xx.
// Otherwise it waits for the next attempt, or is given up after the last. A test,
// which a person is waiting for, is attempted only once.
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

// TooFarAhead reports whether the next attempt is later than any pause could have
// set it, because the clock was wrong then, or is now.
func (d Delivery) TooFarAhead(now time.Time) bool {
	longest := 2 * time.Minute // the first attempt waits at most this long for the copy of its video
	if wait := pauses(); d.Tries > 0 {
		longest = wait[min(d.Tries, len(wait))-1]
	}
	return d.NextAt.After(now.Add(longest + time.Minute))
}
