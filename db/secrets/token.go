package secrets

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
)

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
