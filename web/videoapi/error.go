package videoapi

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A Kind classifies the error of a call.
type Kind int

const (
	// Transport means that no readable answer arrived. The service may have
	// carried out the call, unless Error.Unsent is set.
	Transport Kind = iota
	// Busy means that the service did nothing and asks to come back later.
	Busy
	// KeyRefused means that the key is missing, wrong or revoked.
	KeyRefused
	// NoCredits means that there are too few credits to create the task.
	NoCredits
	// UnknownTask means that no task has this ID.
	UnknownTask
	// NoPermission means that the task belongs to another account.
	NoPermission
	// Refused means that the service answered with any other error.
	Refused
	// TooLong means that the answer is so long that what matters in it could not be read.
	// The service may have carried out the call.
	TooLong
)

func (k Kind) String() string { return cmp.Or(kindNames[k], "refused") }

var kindNames = map[Kind]string{
	Transport:    "transport",
	Busy:         "busy",
	KeyRefused:   "key refused",
	NoCredits:    "no credits",
	UnknownTask:  "unknown task",
	NoPermission: "no permission",
	TooLong:      "too long",
}

// An Error describes a call that did not succeed. It never contains the key.
type Error struct {
	Kind    Kind
	Message string // the service's message, at most MaxMessage bytes; may be empty
	HTTP    int    // HTTP status, 0 if no answer arrived
	Body    []byte // the answer as received, at most MaxBody bytes
	// Unsent is true if the call certainly did not reach the service, so that
	// repeating it cannot be charged twice.
	Unsent bool
	// RetryAfter is how long the service asks to wait, 0 if it does not say.
	RetryAfter time.Duration
	Err        error // the cause, for the log
}

// MaxMessage bounds the service's message, in bytes. Messages with kilobytes of
// SQL have been seen.
const MaxMessage = 500

func (e *Error) Error() string {
	s := "video service: " + e.Kind.String()
	if e.HTTP != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.HTTP)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// kindOf classifies an error answer by its HTTP status and message. The texts are
// those that services of the same family have been seen to send.
func kindOf(status int, message string) Kind {
	m := strings.ToLower(message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(m, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == 429 || has("too many requests", "rate limit"):
		return Busy
	case has("insufficient credits", "not enough credits", "insufficient balance") || status == 402:
		return NoCredits
	case status == 401 || has("no auth", "sign in", "unauthorized", "invalid api key", "invalid key", "api key not"):
		return KeyRefused
	case has("no permission", "permission denied"):
		return NoPermission
	case has("task not found", "task does not exist"):
		return UnknownTask
	}
	return Refused
}

// clip bounds s to MaxMessage bytes without cutting a character in half. It drops
// invalid UTF-8 and replaces control characters with spaces.
func clip(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")))
	if len(s) <= MaxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:MaxMessage-len("…")], "") + "…"
}

// reason returns the message of an answer that is an error: what reads like a reason in it, in
// JSON or HTML if it is that, without what was sent.
func (e envelope) reason(sent []string) string {
	found := ReasonIn(e.Message, sent...)
	if found.Text == "" && e.Around != "" {
		reader := newReader(sent)
		reader.text(e.Around, nil, 0)
		if around := reader.reason(); around.Text != "" || found == (Reason{}) {
			found = around
		}
	}
	if found != (Reason{}) {
		return found.String()
	}
	said := strings.TrimSpace(e.Message)
	if isNoise(said) || strings.ContainsAny(said[:1], "{[<\"") || newSentTexts(sent).without(said) == "" {
		return ""
	}
	return clip(said)
}
