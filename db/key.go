package db

import "time"

// A Key is an API key for the video service, sealed by a Vault: a person's own, or
// one of the team's. What it says in the clear is only ever its last four characters.
type Key struct {
	UserID    int64 // whose it is, or who uses the team's
	TeamKeyID int64 // of a key of the team; 0 for a person's own
	Sealed    []byte
	LastFour  string
	// Fingerprint is an HMAC of the key, equal for equal keys, so that creates
	// of two people with one key still go out one after another.
	Fingerprint []byte
	CreatedAt   time.Time
	// CheckedAt is when the service last said whether it accepts the key; zero
	// if it was never asked. Accepted is what it said.
	CheckedAt time.Time
	Accepted  bool
}

// Owner returns whom the sealed key belongs to: only for them does it open.
func (k Key) Owner() KeyOwner {
	if k.TeamKeyID != 0 {
		return KeyOwner{TeamKeyID: k.TeamKeyID}
	}
	return KeyOwner{UserID: k.UserID}
}

// A KeyOwner names the person, or the key of the team, that a sealed key belongs to.
type KeyOwner struct{ UserID, TeamKeyID int64 }

// LastFour returns what may be shown of a key: its last four characters, or fewer
// where the key is so short that four would give it away.
func LastFour(key string) string {
	runes := []rune(key)
	return string(runes[len(runes)-min(4, len(runes)/4):])
}
