package db

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dailies/db/naming"
)

// A Role says what an account may do.
type Role string

const (
	Admin  Role = "admin"  // makes videos, manages the members and their limits
	Member Role = "member" // makes videos
	Viewer Role = "viewer" // sees what the team sees, stars videos and copies existing links
)

// IsKnown reports whether the role exists.
func (r Role) IsKnown() bool { return r == Admin || r == Member || r == Viewer }

// MaxName limits the name of a person, in characters.
const MaxName = 80

// A User is one person's account.
type User struct {
	ID       int64
	Name     string
	Email    string // as typed, trimmed; unique without regard to case; empty once it was released
	Password string // PHC string of argon2id, see secrets.HashPassword
	Role     Role
	// LastScene is the scene of the last task, to which "/" redirects. Empty at
	// first.
	LastScene string
	CreatedAt time.Time
	SeenAt    time.Time // when one of their browsers last made a request; zero for never
	// DeactivatedAt is when the account was closed; zero if it is open. Nobody can
	// sign in to a closed account; what it made stays.
	DeactivatedAt time.Time
	Still         bool  // videos that they open wait to be played
	TeamKeyID     int64 // the team's key that was assigned to them; 0 for the team's default key
	// ClosedAnnouncement is the mark of the announcement that they have closed last.
	ClosedAnnouncement string
}

// IsAdmin reports whether u may manage the team.
func (u User) IsAdmin() bool { return u.Role == Admin }

// Makes reports whether u may make and change things. Everybody but viewers may.
func (u User) Makes() bool { return u.Role != Viewer }

// IsActive reports whether u may sign in.
func (u User) IsActive() bool { return u.DeactivatedAt.IsZero() }

// DuplicateEmails returns the groups of accounts whose e-mail addresses have the
// same EmailKey. They date from before EmailKey existed; no new ones are created.
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
	var groups [][]User
	for _, key := range keys {
		groups = append(groups, byKey[key])
	}
	return groups
}

// Initials returns one or two letters that represent the person in the page's
// header.
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

// EmailKey returns the key under which e-mail addresses are compared: the address
// in lower case, with compatibility characters such as fullwidth letters replaced,
// and without invisible characters.
func EmailKey(email string) string {
	visible := strings.Map(func(r rune) rune {
		if naming.Invisible(r) {
			return -1
		}
		return r
	}, email)
	return strings.TrimSpace(norm.NFKC.String(strings.ToLower(norm.NFKC.String(visible))))
}

// Misleads reports whether an e-mail address may be taken for another one: it has
// characters that cannot be seen or that naming.Clean removes, spaces, or letters of
// different alphabets within a word.
func Misleads(email string) bool {
	if naming.Clean(email) != email || strings.Contains(email, " ") {
		return true
	}
	words := strings.FieldsFunc(email, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
	return slices.ContainsFunc(words, mixesAlphabets)
}

// alphabets have letters that look like those of another.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian,
	unicode.Cherokee, unicode.Coptic, unicode.Georgian, unicode.Lisu}

func mixesAlphabets(word string) bool {
	var first *unicode.RangeTable
	for _, r := range word {
		for _, alphabet := range alphabets {
			switch {
			case !unicode.Is(alphabet, r):
			case first == nil:
				first = alphabet
			case first != alphabet:
				return true
			}
		}
	}
	return false
}
