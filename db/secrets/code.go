package secrets

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" // the algorithm that authenticator apps use
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// One-time codes follow RFC 6238, as authenticator apps generate them: six digits,
// each valid for half a minute.
const (
	CodeDigits = 6
	codeEvery  = 30 * time.Second
	codeSkew   = 1  // steps by which a clock may be wrong
	codeBytes  = 20 // length of a secret
)

var plainBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewCodeSecret returns a secret for one-time codes, in base32 so that people can
// type it.
func NewCodeSecret() string {
	b := make([]byte, codeBytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return plainBase32.EncodeToString(b)
}

// CodeStep returns the number of the half minute that contains now.
func CodeStep(now time.Time) int64 { return now.Unix() / int64(codeEvery/time.Second) }

// LastCodeStep returns the step of the last code that may have been accepted by
// now.
func LastCodeStep(now time.Time) int64 { return CodeStep(now) + codeSkew }

// CodeAt returns the code of the step.
func CodeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%0*d", CodeDigits, (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// CheckCode returns the step of the typed code if that is the current step or one
// beside it, and later than last, the step of the last code that was used.
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

// CodeLink returns the otpauth URL with which an authenticator app imports the
// secret.
func CodeLink(place, email, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {fmt.Sprintf("Dailies (%s)", place)}}
	return "otpauth://totp/" + url.PathEscape(fmt.Sprintf("Dailies (%s):%s", place, email)) + "?" +
		strings.ReplaceAll(q.Encode(), "+", "%20")
}

// RecoveryCodes is how many recovery codes a person gets, for when no other second
// step is possible.
const RecoveryCodes = 10

// NewRecoveryCodes returns RecoveryCodes codes. Each has 60 bits of randomness.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text())
		codes[i] = text[:4] + "-" + text[4:8] + "-" + text[8:12]
	}
	return codes
}

// RecoveryHash returns the hash under which a person's recovery code is stored. It
// does not depend on how the code is typed.
func RecoveryHash(userID int64, typed string) TokenHash {
	return HashToken(fmt.Sprintf("recovery code of %d: %s", userID, strings.ToLower(digits(typed))))
}
