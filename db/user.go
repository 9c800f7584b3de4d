package db

import (
	"strings"
	"time"
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

// Initials are one or two letters that stand for the person in the page's bar.
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
