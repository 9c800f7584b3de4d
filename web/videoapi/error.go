package videoapi

import (
	"fmt"
	"strings"
	"time"
)

// A Kind sorts what can go wrong with a call.
type Kind int

const (
	// Transport: no answer of the service arrived, or none that can be read.
	// Whether the service acted on the call is not known, unless Unsent.
	Transport Kind = iota
	// Busy: the service asks to come back later; it did nothing.
	Busy
	// KeyRefused: the key is missing, wrong or revoked.
	KeyRefused
	// NoCredits: not enough credits to create the task.
	NoCredits
	// UnknownTask: there is no task with that id.
	UnknownTask
	// NoPermission: the task is somebody else's.
	NoPermission
	// Refused: the service answered with an error of another kind.
	Refused
)

func (k Kind) String() string {
	switch k {
	case Transport:
		return "transport"
	case Busy:
		return "busy"
	case KeyRefused:
		return "key refused"
	case NoCredits:
		return "no credits"
	case UnknownTask:
		return "unknown task"
	case NoPermission:
		return "no permission"
	}
	return "refused"
}

// An Error is a call that did not succeed. It never carries the key.
type Error struct {
	Kind    Kind
	Message string // the service's words, at most MaxMessage bytes; may be empty
	HTTP    int    // HTTP status, 0 where no answer arrived
	Body    []byte // the answer as it came, at most MaxBody
	// Unsent says that the call certainly did not reach the service, so that
	// it can be repeated without being paid twice.
	Unsent bool
	// RetryAfter is how long the service asks to wait, 0 where it does not.
	RetryAfter time.Duration
	Err        error // the cause, for the log
}

// MaxMessage bounds the service's message: it has been seen to be kilobytes of
// SQL.
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

// kindOf judges an error answer by its HTTP status and its message. The
// messages are the ones that services of the family were seen to send.
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

// clip bounds the message without cutting a letter in half, and drops control
// characters.
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
