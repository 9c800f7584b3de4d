package db

import "time"

// SessionLife is how long a session lasts after it was last used.
const SessionLife = 30 * 24 * time.Hour

// A Session is one browser signed in to one account.
type Session struct {
	ID        int64
	UserID    int64
	Token     TokenHash
	Agent     string // the browser's own description, bounded
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
}
