package signin

import "time"

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
