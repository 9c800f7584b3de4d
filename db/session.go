package db

import "time"

// SessionLife is how long a session lasts after it was last used, and
// SessionLimit how long it lasts at the most, however often it is used.
const (
	SessionLife  = 30 * 24 * time.Hour
	SessionLimit = 90 * 24 * time.Hour
)

// A Session is one browser signed in to one account.
type Session struct {
	ID        int64
	UserID    int64
	Token     TokenHash
	Agent     string // the browser's own description, bounded
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
	ForHost   bool // it began with a cookie for this host alone
}

// NewSession returns a session of the person that begins now.
func NewSession(userID int64, token TokenHash, agent string, now time.Time) Session {
	return Session{UserID: userID, Token: token, Agent: agent, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(SessionLife)}
}

// UsedUntil returns when the session expires if it is used now. It is never
// earlier than before: sessions that are older than SessionLimit, from before
// there was one, come to the end they had.
func (s Session) UsedUntil(now time.Time) time.Time {
	until := now.Add(SessionLife)
	if limit := s.CreatedAt.Add(SessionLimit); until.After(limit) {
		until = limit
	}
	if until.Before(s.ExpiresAt) {
		return s.ExpiresAt
	}
	return until
}
