package team

import (
	"strings"

	"dailies/db"
)

// MaxPasted bounds, in bytes, a list of e-mail addresses that somebody pastes.
const MaxPasted = 40_000

// Addresses returns the e-mail addresses of a list, one a line or with commas or
// semicolons between them, each once. Of "Kim Ito <kim@example.com>" it takes what is
// in the brackets. It does not check them.
func Addresses(list string) (addresses []string) {
	seen := map[string]bool{}
	for _, one := range strings.FieldsFunc(list, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ';' }) {
		one = strings.TrimSpace(one)
		if _, after, found := strings.Cut(one, "<"); found && strings.HasSuffix(one, ">") {
			one = strings.TrimSpace(strings.TrimSuffix(after, ">"))
		}
		if key := db.EmailKey(one); one != "" && !seen[key] {
			seen[key] = true
			addresses = append(addresses, one)
		}
	}
	return addresses
}
