package db

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"time"
)

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
	Method    Method
	// Unproven says that the team requires a second factor, and that the session
	// began without one or the person has none any more: nothing opens but the page
	// that sets one up.
	Unproven bool
}

// A Method says how a session began.
type Method string

// The methods.
const (
	ByPassword Method = "password" // alone
	ByCode     Method = "code"     // a password and a one-time code or a recovery code
	ByPasskey  Method = "passkey"  // with a password or without
	ByProvider Method = "provider"
	ByLink     Method = "link" // that whoever runs the server has made
)

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

// NewToken returns 26 letters and digits with at least 128 bits of chance, for
// sessions, join links and form tokens.
func NewToken() string { return rand.Text() }

// DeriveToken computes the n-th token of a series from its seed, which is a token of
// NewToken. Anybody who knows the seed can compute the whole series, so it is as
// secret as the tokens are.
func DeriveToken(seed string, n int) string {
	mac := hmac.New(sha256.New, []byte(seed))
	fmt.Fprintf(mac, "token %d", n)
	return base32.StdEncoding.EncodeToString(mac.Sum(nil))[:len(seed)]
}

// A TokenHash is the SHA-256 of a token. Only the hash is kept, so that who
// reads the database can open no session and use no link.
type TokenHash [sha256.Size]byte

// HashToken returns what is kept of the token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// ResetLife is how long a link that sets a new password can be used.
const ResetLife = 24 * time.Hour

// A Reset is a link with which one person sets a new password, once.
type Reset struct {
	UserID    int64
	Token     TokenHash
	CreatedAt time.Time
	ExpiresAt time.Time
	ByServer  bool // whoever runs the server has made it: it works where passwords are off, too
	Asked     bool // anybody at all has asked for it on the sign-in page
}

// NewReset returns a reset for the person, and its token.
func NewReset(userID int64, now time.Time) (Reset, string) {
	token := NewToken()
	return Reset{UserID: userID, Token: HashToken(token), CreatedAt: now, ExpiresAt: now.Add(ResetLife)}, token
}

// Closed counts what was open until a restore closed it: access that may have
// been taken back after the backup was made. It also says what a restore cannot know.
type Closed struct {
	Sessions   int `json:"sessions"`
	Invites    int `json:"invites"`
	Resets     int `json:"resets"`
	Shares     int `json:"shares"`
	Recovery   int `json:"recovery"`   // recovery codes
	Identities int `json:"identities"` // connected accounts, where a password signs in, too

	Passkeys int      `json:"passkeys"` // that work only after the password, until they are used so
	Open     int      `json:"open"`     // accounts
	Admins   []string `json:"admins"`   // their names
}

// A Limit lets a number of attempts at a password or a link through at once, and
// after that one in every interval.
type Limit struct {
	Name  []byte // a hash of whose attempts are counted
	Burst int
	Every time.Duration
}

// Stale returns the time after which no honest clock can say that the attempts of
// the limit are all there again. A later one was written while a clock was wrong,
// and does not count.
func (l Limit) Stale(now time.Time) time.Time { return now.Add(2 * time.Duration(l.Burst) * l.Every) }

// Left returns the latest time, for all attempts to be there again, at which one
// of them is left.
func (l Limit) Left(now time.Time) time.Time { return now.Add(time.Duration(l.Burst-1) * l.Every) }

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
