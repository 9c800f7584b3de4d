package program

import (
	"time"

	"dailies/db/secrets"
)

// A Request is one that spends, under the Idempotency-Key that the program chose. The key
// is the person's: a repeat with another token of theirs finds the first.
type Request struct {
	UserID    int64
	Key       string
	Body      secrets.TokenHash // of the method, the path and the body
	TaskID    int64             // the first video that it has made
	Count     int               // how many it has made
	CreatedAt time.Time
	// The answer, once it has been sent. It is empty while the first request is running,
	// and if the process died before it had answered.
	Status int
	Answer []byte // empty if its video was purged
}

// An Order is a request for videos, and the token that it was sent with. If the request
// has no Idempotency-Key, it is not stored, so that a repeat orders again.
type Order struct {
	Token int64 // its ID
	Request
	// Most is how many credits each video whose price is not known may cost before the charge
	// stops the token. It makes no price known.
	Most float64
	// AnyPrice says that the program accepts whatever the videos cost, so that no charge
	// stops its token.
	AnyPrice bool
}

// IsAnswered reports whether the answer is stored.
func (r Request) IsAnswered() bool { return r.Status != 0 }

// Limits of requests.
const (
	MaxKey   = 255 // bytes
	KeptDays = 30
	// Running is how long the first request counts as running without an answer.
	Running = 20 * time.Second
)
