package team

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" // which apps for one-time codes use
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"

	"dailies/db"
)

// One-time codes are those of RFC 6238 as apps make them: six digits, for half a
// minute each.
const (
	CodeDigits = 6
	codeEvery  = 30 * time.Second
	codeSkew   = 1  // steps that a clock may be wrong by
	codeBytes  = 20 // of a secret
)

var plainBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewCodeSecret returns a secret for one-time codes, as people may type it.
func NewCodeSecret() string {
	b := make([]byte, codeBytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return plainBase32.EncodeToString(b)
}

// CodeStep returns the number of the half minute.
func CodeStep(now time.Time) int64 { return now.Unix() / int64(codeEvery/time.Second) }

// LastCodeStep returns the step of the last code that may have counted until now.
func LastCodeStep(now time.Time) int64 { return CodeStep(now) + codeSkew }

// CodeAt returns the code of the step.
func CodeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash takes everything
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%0*d", CodeDigits, (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// CheckCode returns the step of the typed code, if it is one of now, or of just
// before or after, and later than the last one that was used.
func CheckCode(secret, typed string, now time.Time, last int64) (step int64, ok bool) {
	key, err := plainBase32.DecodeString(secret)
	if err != nil {
		return 0, false
	}
	typed = digits(typed)
	for s := CodeStep(now) - codeSkew; s <= CodeStep(now)+codeSkew; s++ {
		if subtle.ConstantTimeCompare([]byte(CodeAt(key, s)), []byte(typed)) == 1 && s > last {
			step, ok = s, true
		}
	}
	return step, ok
}

// digits returns the typed code without spaces and hyphens.
func digits(typed string) string {
	if len(typed) > 100 {
		return ""
	}
	return strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\t", "", "\n", "").Replace(typed)
}

// CodeLink returns the address with which an app takes the secret.
func CodeLink(place, email, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {"Dailies (" + place + ")"}}
	return "otpauth://totp/" + url.PathEscape("Dailies ("+place+"):"+email) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// RecoveryCodes is how many codes a person gets for when the others are out of
// reach.
const RecoveryCodes = 10

// NewRecoveryCodes returns that many codes. Each has 60 bits of chance.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text())
		codes[i] = text[:4] + "-" + text[4:8] + "-" + text[8:12]
	}
	return codes
}

// RecoveryHash returns what is kept of the person's recovery code, however it is
// typed.
func RecoveryHash(userID int64, typed string) db.TokenHash {
	return db.HashToken(fmt.Sprintf("recovery code of %d: %s", userID, strings.ToLower(digits(typed))))
}

// Factors says what a person has besides a password.
type Factors struct {
	Codes    bool // one-time codes
	Recovery int  // recovery codes that are left
	Passkeys int
}

// Any reports whether a password alone does not sign in.
func (f Factors) Any() bool { return f.Codes || f.Passkeys > 0 }

// A Passkey of a person. Record holds its public key, as the package web/passkey
// writes it.
type Passkey struct {
	ID         int64
	UserID     int64
	Handle     []byte // the person as their passkeys know them
	Credential []byte // its id
	Record     string
	Name       string
	CreatedAt  time.Time
	UsedAt     time.Time // zero until it was used
	// Restored says that the passkey came with a backup, and was not used since: it may
	// have been deleted after the backup was made. It works only after the password
	// until it was used so.
	Restored bool
}

// MaxPasskeys bounds how many passkeys a person has.
const MaxPasskeys = 20
