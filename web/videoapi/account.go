package videoapi

import "time"

// A Key is what a console shows of an API key: not the key itself.
//
// API.md: "API keys are created and managed in the service console".
type Key struct {
	ID        int64
	Name      string
	Tail      string    // its last four characters; may be empty
	CreatedAt time.Time // UTC
	UsedAt    time.Time // of the last call; zero before the first
	RevokedAt time.Time // zero while it holds
}

// An EntryKind says why a balance changed.
type EntryKind string

// The reasons for which a balance changes.
const (
	Deducted EntryKind = "deducted"
	Refunded EntryKind = "refunded"
	ToppedUp EntryKind = "topped up"
)

// An Entry is one line of an account's ledger.
type Entry struct {
	ID      int64
	Kind    EntryKind
	TaskID  string  // empty where no task is the reason
	Credits float64 // as they changed the balance: negative when deducted
	Balance float64 // after it
	At      time.Time
}
