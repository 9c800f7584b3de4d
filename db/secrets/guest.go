package secrets

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// SignMail returns the token by which whoever gets the mails of a guest's subscription, which
// has the ID, turns them on and off.
func (v *Vault) SignMail(id int64, address string) string {
	return strconv.FormatInt(id, 10) + "." + base64.RawURLEncoding.EncodeToString(v.Fingerprint(fmt.Sprintf("mails of subscription %d to %s", id, address)))
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
