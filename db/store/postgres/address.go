package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// longestAddresses limits the text with the addresses, in bytes.
const longestAddresses = 8 << 10

// between matches the beginning of a second address, and the white space before it.
var between = regexp.MustCompile(`\s+(postgres(?:ql)?://)`)

// Addresses splits the setting for the database: its address, postgres://…, and
// after white space an optional second, direct address of the same database. The
// second is for LISTEN, if the first leads through a transaction pooler. Errors
// never repeat the text, which may contain a password.
func Addresses(text string) (database, direct string, err error) {
	if len(text) > longestAddresses {
		return "", "", fmt.Errorf("more than %d bytes are no address", longestAddresses)
	}
	each := splitAddresses(text)
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

// splitAddresses returns the addresses in the text, at least one.
func splitAddresses(text string) []string {
	text = strings.TrimSpace(text)
	return strings.Split(between.ReplaceAllString(text, "\n\n$1"), "\n\n")
}

// Name returns the address of the database as it may be shown: without its
// password, and without a second address.
func Name(address string) string {
	u, err := url.Parse(splitAddresses(address)[0])
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Host == "" && u.Path == "" || strings.Contains(u.Host+u.Path, "@") {
		return "given by -database"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}
