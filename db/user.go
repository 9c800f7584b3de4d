package db

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Role says what an account may do besides making videos.
type Role string

const (
	Admin  Role = "admin"  // may also invite and see the members
	Member Role = "member" // makes videos
)

// A User is one person's account.
type User struct {
	ID       int64
	Name     string
	Email    string // as typed, trimmed; unique without regard to case
	Password string // PHC string of argon2id, see HashPassword
	Role     Role
	// LastScene is the scene of the last task, where "/" leads. Empty at first.
	LastScene string
	CreatedAt time.Time
}

// IsAdmin reports whether u may invite and see the members.
func (u User) IsAdmin() bool { return u.Role == Admin }

// DuplicateEmails returns the groups of accounts whose e-mail addresses are one
// address, in spellings that were told apart before there was EmailKey. There are
// no new ones.
func DuplicateEmails(users []User) [][]User {
	var keys []string
	byKey := map[string][]User{}
	for _, u := range users {
		key := EmailKey(u.Email)
		if len(byKey[key]) == 1 {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], u)
	}
	var twins [][]User
	for _, key := range keys {
		twins = append(twins, byKey[key])
	}
	return twins
}

// Initials returns one or two letters that stand for the person in the page's bar.
func (u User) Initials() string {
	var letters []rune
	for _, word := range strings.Fields(u.Name) {
		letters = append(letters, []rune(strings.ToUpper(word))[0])
	}
	switch len(letters) {
	case 0:
		return "?"
	case 1, 2:
		return string(letters)
	}
	return string([]rune{letters[0], letters[len(letters)-1]})
}

// EmailKey returns the form of an e-mail address in which two spellings of one
// address are equal: in lower case, with compatibility characters such as
// fullwidth letters replaced, without what cannot be seen.
func EmailKey(email string) string {
	visible := strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, email)
	return strings.TrimSpace(norm.NFKC.String(strings.ToLower(norm.NFKC.String(visible))))
}

// HasInvisible reports whether the text has a character that cannot be seen,
// such as a zero-width space.
func HasInvisible(text string) bool { return strings.ContainsFunc(text, invisible) }

func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r == '\u2800' // a Braille pattern without dots
}
