package db

import "time"

// A Key is a person's API key for the video service, sealed by a Vault. What
// it says in the clear is only ever its last four characters.
type Key struct {
	UserID   int64
	Sealed   []byte
	LastFour string
	// Fingerprint is an HMAC of the key, equal for equal keys, so that creates
	// of two people with one key still go out one after another.
	Fingerprint []byte
	CreatedAt   time.Time
	// CheckedAt is when the service last said whether it accepts the key; zero
	// if it was never asked. Accepted is what it said.
	CheckedAt time.Time
	Accepted  bool
}

// LastFour returns what may be shown of a key: its last four characters, or fewer
// where the key is so short that four would give it away.
func LastFour(key string) string {
	runes := []rune(key)
	return string(runes[len(runes)-min(4, len(runes)/4):])
}
