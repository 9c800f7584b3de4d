package outbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"dailies/db"
)

// A Webhook is the URL at which a program of a person, or of the team, wants to be told of
// what happens.
type Webhook struct {
	ID      int64
	UserID  int64 // whose it is; 0 for the team's
	MadeBy  int64 // who has made it; 0 if that is not known
	Address string
	// Origin is the app's origin as the person reached it when they set up the
	// webhook. Links begin with it if -public-url is not set.
	Origin string
	Events []Event // what it is told of
	// Standard says that its deliveries follow Standard Webhooks. Webhooks from before
	// people could have several had a format of their own. They are off until they are
	// changed to the standard one.
	Standard bool
	State    HookState
	// Held says that the webhook came with a backup, and that no admin has confirmed it
	// since: it may be another copy of the program that should post to it.
	Held      bool
	CreatedAt time.Time

	Failures     int       // attempts that have failed since something arrived
	FailingSince time.Time // zero if the last attempt arrived
	QuietUntil   time.Time // its program has asked for nothing before then; zero if it has not

	// Filled in by lists.
	Waiting int       // deliveries that have neither arrived nor been given up
	SentAt  time.Time // when something last arrived; zero for never, or too long ago
	Maker   string    // name of MadeBy, for the team's
	Left    bool      // MadeBy has left the team
}

// Errors of changes to webhooks to which nothing is sent.
var (
	ErrHeld    = errors.New("the webhook came with a backup and waits for an admin to confirm it")
	ErrEarlier = errors.New("the webhook has the format from before the standard one")
)

// Rests returns ErrHeld or ErrEarlier if nothing may be sent to the webhook, not even a test.
func (h Webhook) Rests() error {
	switch {
	case !h.Standard:
		return ErrEarlier
	case h.Held:
		return ErrHeld
	}
	return nil
}

// MaxWebhooks is how many webhooks a person may have, and the team.
const MaxWebhooks = 5

// A HookState says whether anything is sent to a webhook.
type HookState string

const (
	On     HookState = "on"
	Off    HookState = "off"    // its program has said that it is gone; nothing waits for it
	Paused HookState = "paused" // too much has failed; deliveries wait until somebody turns it on
)

// An Event is a kind of thing that webhooks are told of. Programs rely on its name.
type Event string

const (
	VideoReady       Event = "video.ready"
	VideoFailed      Event = "video.failed" // or was rejected
	VideoCanceled    Event = "video.canceled"
	VideoUnconfirmed Event = "video.unconfirmed"
	NoteCreated      Event = "note.created"
	VerdictGiven     Event = "verdict.given"
	LimitAsked       Event = "limit.asked"
	TestSent         Event = "test" // is sent whether it was chosen or not
)

// Events lists the events in the order in which they are offered.
func Events() []Event {
	return []Event{VideoReady, VideoFailed, VideoCanceled, VideoUnconfirmed, NoteCreated, VerdictGiven, LimitAsked, TestSent}
}

// IsTeams reports whether the webhook is the team's.
func (h Webhook) IsTeams() bool { return h.UserID == 0 }

// IsOf reports whether the person may see and change the webhook.
func (h Webhook) IsOf(u db.User) bool { return h.UserID == u.ID || h.IsTeams() && u.IsAdmin() }

// MayTell reports whether the webhook may be told of the video. The team's are told of
// nothing that is private or deleted, and a person's only of what that person may see.
func (h Webhook) MayTell(t db.Task) bool {
	switch {
	case h.UserID == t.UserID:
		return true
	case h.IsTeams():
		return !t.Private && t.DeletedAt.IsZero() && t.PurgedAt.IsZero()
	}
	return t.ListedFor(h.UserID)
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

// secretStart begins every secret.
const secretStart = "whsec_"

// NewWebhookSecret returns a random secret for signing: whsec_ and the base64 of 32 bytes.
func NewWebhookSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never fails
	return secretStart + base64.StdEncoding.EncodeToString(key[:])
}

// SecretLife is how long deliveries are signed with an earlier secret too, after it was
// replaced.
const SecretLife = 24 * time.Hour

// Signature returns the signature of a delivery with a name, a time and a body, as Standard
// Webhooks has it: v1, a comma, and the base64 of an HMAC-SHA256. It reports whether the
// secret is one that NewWebhookSecret makes.
func Signature(secret, name string, at time.Time, body []byte) (signature string, ok bool) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretStart))
	if err != nil || len(key) == 0 {
		return "", false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", name, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), true
}

// A webhook is paused after so many failures, if the first of them was longer ago.
const (
	mostFailures  = 10
	leastFailing  = time.Hour
	LongestQuiet  = 24 * time.Hour      // how long a program may ask for nothing
	DeliveryLasts = 30 * 24 * time.Hour // how long deliveries wait for a webhook that is paused
)

// Record records the attempt at the delivery with both. It reports whether the webhook is
// now paused, and was not before.
func (h *Webhook) Record(d *Delivery, a Attempt) (paused bool) {
	d.record(a)
	switch {
	case d.Outcome == Delivered:
		h.State, h.Failures, h.FailingSince, h.QuietUntil = On, 0, time.Time{}, time.Time{}
		return false
	case a.HTTP == gone:
		h.State, h.Failures, h.FailingSince, h.QuietUntil = Off, 0, time.Time{}, time.Time{}
		d.Outcome, d.NextAt = GaveUp, time.Time{}
		return false
	}
	if a.Wait > 0 {
		h.QuietUntil = a.At.Add(min(a.Wait, LongestQuiet))
	}
	if d.Event == TestSent || a.Final {
		return false
	}
	if h.Failures++; h.FailingSince.IsZero() {
		h.FailingSince = a.At
	}
	if h.State == On && h.Failures >= mostFailures && a.At.Sub(h.FailingSince) > leastFailing {
		h.State, paused = Paused, true
		d.Outcome = Waiting
	}
	switch {
	case d.Outcome != Waiting:
	case h.State == Paused:
		d.NextAt = time.Time{}
	case h.State == Off: // somebody has sent it again: that was the only attempt
		d.Outcome, d.NextAt = GaveUp, time.Time{}
	}
	return paused
}

// Chosen returns the events in the order in which they are offered, without those that do
// not exist.
func Chosen(names []string) (events []Event) {
	for _, e := range Events() {
		if slices.Contains(names, string(e)) {
			events = append(events, e)
		}
	}
	return events
}
