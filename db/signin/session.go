// Package signin defines how people get in: invitations, sessions, second steps,
// sign-in with the company's provider, and limits of guesses.
package signin

import (
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// SessionLife is how long a session lasts after its last use, and SessionLimit how
// long it lasts altogether, however often it is used.
const (
	SessionLife  = 30 * 24 * time.Hour
	SessionLimit = 90 * 24 * time.Hour
)

// A Session is one browser signed in to one account.
type Session struct {
	ID        int64
	UserID    int64
	Token     secrets.TokenHash
	Agent     string // the browser's own description, shortened
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
	ForHost   bool // it began with a cookie that no other host can set
	Method    Method
	// Unproven says that the team requires a second step, but the session began
	// without one or the person no longer has one. Only the page that sets one up
	// can be opened.
	Unproven bool
}

// A Method says how the person signed in to a session.
type Method string

// The methods.
const (
	ByPassword Method = "password" // a password alone
	ByCode     Method = "code"     // a password and a one-time code or a recovery code
	ByPasskey  Method = "passkey"  // with or without a password
	ByProvider Method = "provider" // the team's OpenID provider
	ByLink     Method = "link"     // a link made by somebody with access to the server
)

// NewSession returns a session of the person that begins now.
func NewSession(userID int64, token secrets.TokenHash, agent string, now time.Time) Session {
	return Session{UserID: userID, Token: token, Agent: agent, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(SessionLife)}
}

// UsedUntil returns when the session expires if it is used now. It is never earlier
// than before: sessions from before SessionLimit existed keep the end that they
// had.
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

// ResetLife is how long a link for setting a new password works.
const ResetLife = 24 * time.Hour

// A Reset is a link with which one person can set a new password once.
type Reset struct {
	UserID    int64
	Token     secrets.TokenHash
	CreatedAt time.Time
	ExpiresAt time.Time
	ByServer  bool // made by somebody with access to the server: it works even if passwords are off
	Requested bool // requested on the sign-in page, by anybody
}

// NewReset returns a reset for the person, and its token.
func NewReset(userID int64, now time.Time) (Reset, string) {
	token := secrets.NewToken()
	return Reset{UserID: userID, Token: secrets.HashToken(token), CreatedAt: now, ExpiresAt: now.Add(ResetLife)}, token
}

// Ended counts what has ended with a person's access: see schema.Accesses.
type Ended struct {
	Sessions, Tokens, Webhooks int
}

// Closed counts what a restore closed: access that may have been revoked after the
// backup was made. It also lists what an admin should check afterwards.
type Closed struct {
	Sessions   int `json:"sessions"`
	Invites    int `json:"invites"`
	Resets     int `json:"resets"`
	Shares     int `json:"shares"`
	Recovery   int `json:"recovery"`   // recovery codes
	Identities int `json:"identities"` // connected accounts of people who can also sign in with a password
	Tokens     int `json:"tokens"`     // tokens of people's programs; with them, the addresses of files that they have got
	Webhooks   int `json:"webhooks"`   // webhooks to which nothing is sent until an admin has confirmed them
	Deliveries int `json:"deliveries"` // deliveries to webhooks that waited, and are dropped

	Passkeys int      `json:"passkeys"` // passkeys that need the password too, until they have been used with it
	Open     int      `json:"open"`     // accounts that are active
	Admins   []string `json:"admins"`   // names of the active admins
	// Services are the addresses of the video services that are not called until an admin has
	// confirmed them.
	Services []string `json:"services"`
}

// SecondSteps says which second steps a person has.
type SecondSteps struct {
	Codes    bool // one-time codes
	Recovery int  // unused recovery codes
	Passkeys int
}

// Any reports whether signing in takes more than a password.
func (f SecondSteps) Any() bool { return f.Codes || f.Passkeys > 0 }

// A Passkey belongs to one person. Record holds its public key, as the package
// web/passkey encodes it.
type Passkey struct {
	ID         int64
	UserID     int64
	Handle     []byte // WebAuthn user handle of the person
	Credential []byte // WebAuthn credential ID
	Record     string
	Name       string
	CreatedAt  time.Time
	UsedAt     time.Time // zero if it was never used
	// Restored says that the passkey came with a backup and was not used since. It
	// may have been deleted after the backup was made, so it works only after the
	// password, until it has been used that way.
	Restored bool
}

// MaxPasskeys limits the passkeys of a person.
const MaxPasskeys = 20

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
