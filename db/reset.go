package db

import "time"

// ResetLife is how long a link that sets a new password can be used.
const ResetLife = 24 * time.Hour

// A Reset is a link with which one person sets a new password, once.
type Reset struct {
	UserID    int64
	Token     TokenHash
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewReset returns a reset for the person, and its token.
func NewReset(userID int64, now time.Time) (Reset, string) {
	token := NewToken()
	return Reset{userID, HashToken(token), now, now.Add(ResetLife)}, token
}
