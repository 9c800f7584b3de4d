package signin

import (
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// InviteLife is how long a join link works.
const InviteLife = 7 * 24 * time.Hour

// Limits of the join links that are open at one time: per admin, and altogether.
const (
	MaxInvites      = 100
	MaxInvitesOfAll = 300
)

// An Invite is a join link: it creates one account, once.
type Invite struct {
	ID        int64
	Role      db.Role // of the new account; empty means Member
	Email     string  // the only e-mail address that may join; empty for any
	Allowance string  // kind of spending limit of the new account: a spending.Allowance; empty means "default"
	Credits   float64 // the limit in credits, if it is the account's own
	Token     secrets.TokenHash
	CreatedBy int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero until somebody has joined
	UsedBy    int64
}

// Open reports whether the link can still be used at the time.
func (i Invite) Open(now time.Time) bool { return i.UsedAt.IsZero() && now.Before(i.ExpiresAt) }
