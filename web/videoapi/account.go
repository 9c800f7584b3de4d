package videoapi

import "time"

// A Key describes an API key as a console lists it. It does not contain the key
// itself.
//
// API.md: "API keys are created and managed in the service console".
type Key struct {
	ID        int64
	Name      string
	Tail      string    // the key's last four characters; may be empty
	CreatedAt time.Time // UTC
	UsedAt    time.Time // time of the last call with this key; zero before the first
	RevokedAt time.Time // zero while the key is valid
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
	TaskID  string  // empty if no task caused the change
	Credits float64 // change of the balance: negative when deducted
	Balance float64 // after the change
	At      time.Time
}
