package team

import (
	"strings"

	"dailies/db"
)

// MaxPasted limits a pasted list of e-mail addresses, in bytes.
const MaxPasted = 40_000

// Addresses parses a list of e-mail addresses that are separated by line breaks, commas,
// semicolons or spaces, and returns each once. From "Kim Ito <kim@example.com>" it takes
// the part in the angle brackets. It does not validate the addresses.
func Addresses(list string) (addresses []string) {
	seen := map[string]bool{}
	for _, one := range strings.FieldsFunc(list, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ';' }) {
		one = strings.TrimSpace(one)
		words := strings.Fields(one)
		if _, after, found := strings.Cut(one, "<"); found && strings.HasSuffix(one, ">") {
			words = []string{strings.TrimSpace(strings.TrimSuffix(after, ">"))}
		}
		for _, word := range words {
			if key := db.EmailKey(word); word != "" && !seen[key] {
				seen[key] = true
				addresses = append(addresses, word)
			}
		}
	}
	return addresses
}
