package secrets

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
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

// SignMail returns the token by which whoever gets the mails of a guest's subscription, which
// has the ID, turns them on and off.
func (v *Vault) SignMail(id int64, address string) string {
	return strconv.FormatInt(id, 10) + "." +
		base64.RawURLEncoding.EncodeToString(v.Fingerprint(fmt.Sprintf("mails of subscription %d to %s", id, address)))
}

// MailID returns the ID of the subscription that the token is for, and 0 if it is none.
// Whether it is right, IsMail says.
func MailID(token string) int64 {
	number, _, _ := strings.Cut(token, ".")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// IsMail reports whether the token is the one that SignMail returns.
func (v *Vault) IsMail(token string, id int64, address string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(v.SignMail(id, address))) == 1
}
