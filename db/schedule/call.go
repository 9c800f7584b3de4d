package schedule

import "time"

// LateCall is how long a create call may take before the user is told that its outcome
// is unknown, and an admin may free its key. Its answer is still awaited.
const LateCall = 2 * time.Minute

// A Call is a create call that blocks its key: no other video is sent with the key until
// the call has ended.
type Call struct {
	TaskID  int64
	UserID  int64  // the task's maker
	Maker   string // their name
	KeyName string // the name of the team's key; empty for a person's own
	KeyEnd  string // the last characters of the key; empty if they are no longer known
	PayerID int64  // whose own key it is, if KeyName is empty
	Payer   string // their name
	SentAt  time.Time
	// FreesAt is when the key will be free because the process that made the call has
	// stopped; zero while that process is seen.
	FreesAt time.Time
}

// Blocks reports whether the call blocks its key for longer than calls normally do: the
// process that made it has stopped, or the service does not answer.
func (c Call) Blocks(now time.Time) bool {
	return !c.FreesAt.IsZero() || now.Sub(c.SentAt) >= LateCall
}

// Stopped reports whether the process that made the call has stopped.
func (c Call) Stopped() bool { return !c.FreesAt.IsZero() }
