package db

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Role says what an account may do.
type Role string

const (
	Admin  Role = "admin"  // makes videos, and says who is in the team and what it may spend
	Member Role = "member" // makes videos
	Viewer Role = "viewer" // sees what the team sees, stars videos and copies links that are there
)

// IsKnown reports whether there is such a role.
func (r Role) IsKnown() bool { return r == Admin || r == Member || r == Viewer }

// A User is one person's account.
type User struct {
	ID       int64
	Name     string
	Email    string // as typed, trimmed; unique without regard to case; empty once it was given free
	Password string // PHC string of argon2id, see HashPassword
	Role     Role
	// LastScene is the scene of the last task, where "/" leads. Empty at first.
	LastScene string
	CreatedAt time.Time
	SeenAt    time.Time // a browser of theirs last asked for something; zero if none did
	// DeactivatedAt is when the account was closed; zero for one that is open. Nobody
	// signs in to a closed one, and what it made stays.
	DeactivatedAt time.Time
	TeamKeyID     int64 // the team's key that they were given; 0 for the standard one
}

// IsAdmin reports whether u may change the team.
func (u User) IsAdmin() bool { return u.Role == Admin }

// Makes reports whether u may make and change things: everybody but viewers.
func (u User) Makes() bool { return u.Role != Viewer }

// IsActive reports whether u may sign in.
func (u User) IsActive() bool { return u.DeactivatedAt.IsZero() }

// DuplicateEmails returns the groups of accounts whose e-mail addresses are one
// address, in spellings that were told apart before there was EmailKey. There are
// no new ones.
func DuplicateEmails(users []User) [][]User {
	var keys []string
	byKey := map[string][]User{}
	for _, u := range users {
		key := EmailKey(u.Email)
		if key == "" {
			continue
		}
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
