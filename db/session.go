package db

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"time"
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
	Token     TokenHash
	Agent     string // the browser's own description, shortened
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
	ForHost   bool // it began with a cookie that no other host can set
	Method    Method
	// Unproven says that the team requires a second factor, but the session began
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
func NewSession(userID int64, token TokenHash, agent string, now time.Time) Session {
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

// NewToken returns 26 letters and digits with at least 128 bits of randomness, for
// sessions, join links and form tokens.
func NewToken() string { return rand.Text() }

// DeriveToken computes the n-th token of a series from its seed, which NewToken
// returned. Anybody who knows the seed can compute the series, so it is as secret
// as the tokens.
func DeriveToken(seed string, n int) string {
	mac := hmac.New(sha256.New, []byte(seed))
	fmt.Fprintf(mac, "token %d", n)
	return base32.StdEncoding.EncodeToString(mac.Sum(nil))[:len(seed)]
}

// A TokenHash is the SHA-256 of a token. Only the hash is stored, so that reading
// the database does not suffice to open a session or use a link.
type TokenHash [sha256.Size]byte

// HashToken returns the hash under which the token is stored.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// ResetLife is how long a link for setting a new password works.
const ResetLife = 24 * time.Hour

// A Reset is a link with which one person can set a new password once.
type Reset struct {
	UserID    int64
	Token     TokenHash
	CreatedAt time.Time
	ExpiresAt time.Time
	ByServer  bool // made by somebody with access to the server: it works even if passwords are off
	Asked     bool // requested on the sign-in page, by anybody
}

// NewReset returns a reset for the person, and its token.
func NewReset(userID int64, now time.Time) (Reset, string) {
	token := NewToken()
	return Reset{UserID: userID, Token: HashToken(token), CreatedAt: now, ExpiresAt: now.Add(ResetLife)}, token
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

	Passkeys int      `json:"passkeys"` // passkeys that need the password too, until they have been used with it
	Open     int      `json:"open"`     // accounts that are active
	Admins   []string `json:"admins"`   // names of the active admins
}

// A Limit allows Burst attempts at a password or a link at once, and after that one
// in every interval.
type Limit struct {
	Name  []byte // a hash that identifies whose attempts are counted
	Burst int
	Every time.Duration
}

// Stale returns the latest time at which the limit can have all its attempts back,
// with a margin. A later stored time was written while a clock was wrong, and does
// not count.
func (l Limit) Stale(now time.Time) time.Time { return now.Add(2 * time.Duration(l.Burst) * l.Every) }

// Left returns the latest time of having all attempts back that still leaves one
// attempt for now.
func (l Limit) Left(now time.Time) time.Time { return now.Add(time.Duration(l.Burst-1) * l.Every) }

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
	Role      Role    // of the new account; empty means Member
	Email     string  // the only e-mail address that may join; empty for any
	Allowance string  // kind of spending limit of the new account: a team.Allowance; empty means "default"
	Credits   float64 // the limit in credits, if it is the account's own
	Token     TokenHash
	CreatedBy int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero until somebody has joined
	UsedBy    int64
}

// Open reports whether the link can still be used at the time.
func (i Invite) Open(now time.Time) bool { return i.UsedAt.IsZero() && now.Before(i.ExpiresAt) }
