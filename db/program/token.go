// Package program defines what people's own programs need to use the API: tokens, and
// requests that may be repeated.
package program

import (
	"crypto/rand"
	"errors"
	"hash/crc32"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// A Permission says what a token may do, or rather the program that has it. Each one
// includes those before it.
type Permission string

// The permissions.
const (
	Look   Permission = "look"   // every GET
	Make   Permission = "make"   // also make videos, add pictures, and order one's own videos
	Change Permission = "change" // also delete, share, hide, and change webhooks
)

var permissions = []Permission{Look, Make, Change}

// IsKnown reports whether the permission exists.
func (p Permission) IsKnown() bool { return p.rank() >= 0 }

// Includes reports whether p allows what q allows.
func (p Permission) Includes(q Permission) bool { return p.IsKnown() && p.rank() >= q.rank() }

func (p Permission) rank() int {
	for i, known := range permissions {
		if p == known {
			return i
		}
	}
	return -1
}

// A Token lets a program act for a person. Only its hash is stored.
type Token struct {
	ID       int64
	UserID   int64
	UserName string // filled in when read
	Name     string // what it is for
	Start    string // the first characters of the secret, by which people tell tokens apart
	Hash     secrets.TokenHash
	May      Permission
	Cap      db.Credits // credits a month, within the person's own limits; unknown if it has no limit of its own

	CreatedAt time.Time
	EndsAt    time.Time
	EndedAt   time.Time // when it was ended before that; zero if it was not
	UsedAt    time.Time // zero until it is used
	UsedFrom  string    // the network address
	// StoppedAt is when a charge exceeded what was quoted. The token makes no more videos
	// until its owner lets it continue.
	StoppedAt time.Time
	// RefusedAt is since when the company's sign-in gives the owner no role. Meanwhile the
	// token opens nothing.
	RefusedAt time.Time

	Spent float64 // what counts of this month's videos; filled in when read
}

// IsOver reports whether the token has ended, so that it never opens anything again.
func (t Token) IsOver(now time.Time) bool { return !t.EndedAt.IsZero() || !now.Before(t.EndsAt) }

// Works reports whether the token opens the API.
func (t Token) Works(now time.Time) bool { return !t.IsOver(now) && t.RefusedAt.IsZero() }

// Left returns how many credits the token may still spend this month. It is unknown if the
// token has no limit of its own.
func (t Token) Left() db.Credits {
	return db.Credits{Amount: max(0, t.Cap.Amount-t.Spent), Known: t.Cap.Known}
}

// Limits of tokens.
const (
	MaxName   = 60 // characters
	MaxDays   = 365
	UsualDays = 90
	MaxCap    = 1e6
	MaxTokens = 50 // that work, of one person
)

// Errors of orders that programs place.
var (
	ErrCap     = errors.New("the token's cap is reached")
	ErrStopped = errors.New("the token has to be let continue")
	ErrEnded   = errors.New("the token has ended")
	ErrUsedKey = errors.New("the idempotency key is used")
)

// A CapError is an ErrCap that names the token.
type CapError struct{ Token string }

// Error implements error.
func (e CapError) Error() string { return ErrCap.Error() }

// Unwrap returns ErrCap.
func (e CapError) Unwrap() error { return ErrCap }

// IsRefusal reports whether the error is one of these.
func IsRefusal(err error) bool {
	return errors.Is(err, ErrCap) || errors.Is(err, ErrStopped) || errors.Is(err, ErrEnded) || errors.Is(err, ErrUsedKey)
}

// A token is the prefix, random letters and digits, and a checksum of both, by which
// programs that look for leaked secrets recognise it.
const (
	prefix   = "dly_"
	random   = 26
	sum      = 6
	shown    = len(prefix) + 4
	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret returns a token of 36 characters with 154 bits of randomness.
func NewSecret() string {
	var b strings.Builder
	b.WriteString(prefix)
	for b.Len() < len(prefix)+random {
		var drawn [2 * random]byte
		_, _ = rand.Read(drawn[:]) // it never fails
		for _, c := range drawn {
			// 248 is the largest multiple of 62 in a byte: each character is equally likely.
			if c < 248 && b.Len() < len(prefix)+random {
				b.WriteByte(alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return b.String() + checksum(b.String())
}

// checksum returns the CRC-32 of the text to the base of 62.
func checksum(text string) string {
	rest := crc32.ChecksumIEEE([]byte(text))
	var digits [sum]byte
	for i := range digits {
		digits[sum-1-i] = alphabet[int(rest)%len(alphabet)]
		rest /= uint32(len(alphabet))
	}
	return string(digits[:])
}

// Parse returns the hash under which the token is stored. It is not ok if the text cannot
// be a token, which is known without a look at the database.
func Parse(text string) (hash secrets.TokenHash, ok bool) {
	if len(text) != len(prefix)+random+sum || !strings.HasPrefix(text, prefix) || checksum(text[:len(text)-sum]) != text[len(text)-sum:] {
		return secrets.TokenHash{}, false
	}
	return secrets.HashToken(text), true
}

// Start returns the first characters of the secret.
func Start(secret string) string { return secret[:shown] }
