package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// longestAddresses bounds the text with the addresses, in bytes.
const longestAddresses = 8 << 10

// between matches what stands before a second address.
var between = regexp.MustCompile(`\s+(postgres(?:ql)?://)`)

// Addresses reads the address of a database, postgres://…, and behind white space a
// second, direct one of the same database, which is empty if there is none. The
// second is for listening, where the first leads through a transaction pooler.
// Errors repeat nothing of the text, which may hold a password.
func Addresses(text string) (database, direct string, err error) {
	if len(text) > longestAddresses {
		return "", "", fmt.Errorf("more than %d bytes are no address", longestAddresses)
	}
	each := apart(text)
	if len(each) > 2 {
		return "", "", errors.New("it takes one address, or two of the same database")
	}
	for i, address := range each {
		u, err := url.Parse(address)
		scheme, _, _ := strings.Cut(address, "://")
		if err != nil || scheme != "postgres" && scheme != "postgresql" || strings.Trim(u.Path, "/") == "" {
			return "", "", fmt.Errorf("%s an address such as postgres://dailies@db.example.com/dailies", []string{"it takes", "its second address is not"}[i])
		}
	}
	if len(each) == 2 {
		direct = each[1]
	}
	return each[0], direct, nil
}

// apart returns the addresses in the text, at least one.
func apart(text string) []string {
	text = strings.TrimSpace(text)
	return strings.Split(between.ReplaceAllString(text, "\n\n$1"), "\n\n")
}

// Name returns the address of the database as it may be shown: without its
// password, and without a second address.
func Name(address string) string {
	u, err := url.Parse(apart(address)[0])
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Host == "" && u.Path == "" || strings.Contains(u.Host+u.Path, "@") {
		return "given by -database"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}
