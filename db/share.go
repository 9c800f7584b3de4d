package db

import "time"

// A Share is a link with which somebody without an account sees one video or
// one collection, and nothing else.
type Share struct {
	ID           int64
	Token        string
	TaskID       int64 // 0 for a collection
	CollectionID int64 // 0 for a video
	Title        string
	CreatedBy    int64
	MakerName    string // filled in when read
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    time.Time // zero while it was not taken back
}

// Open reports whether the link works now.
func (s Share) Open(now time.Time) bool { return s.RevokedAt.IsZero() && now.Before(s.ExpiresAt) }
