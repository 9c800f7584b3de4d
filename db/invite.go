package db

import "time"

// InviteLife is how long a join link can be used.
const InviteLife = 7 * 24 * time.Hour

// How many join links may be open at one time: of one admin, and of all.
const (
	MaxInvites      = 100
	MaxInvitesOfAll = 300
)

// An Invite is a join link: it makes one account, once.
type Invite struct {
	ID        int64
	Role      Role    // of the new account; empty is Member
	Email     string  // the only address that may join with it; empty for any
	Allowance string  // which limit of spending the new account has; empty is "default"
	Credits   float64 // of a limit of its own
	Token     TokenHash
	CreatedBy int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero until somebody joined with it
	UsedBy    int64
}

// Open reports whether the link can still be used at the time.
func (i Invite) Open(now time.Time) bool { return i.UsedAt.IsZero() && now.Before(i.ExpiresAt) }
