package team

import (
	"fmt"
	"strings"
	"time"

	"dailies/db"
	"dailies/views/part"
)

// A MembersPage lists who is here and which join links are open. Admins only.
type MembersPage struct {
	Users   []db.User
	Invites []db.Invite
	NewLink string // the link just made, shown whole this once
	Problem string // why no link was made, empty without one
	Twins   [][]db.User

	Zone       string // the team's time zone, or what was typed for it
	Rebuilding bool   // the usage is still being brought into it
	Errors     part.Errors
}

// name returns the name of a member.
func (p MembersPage) name(id int64) string {
	for _, u := range p.Users {
		if u.ID == id {
			return u.Name
		}
	}
	return "Somebody"
}

// peopleHere counts the people, and those who are invited.
func (p MembersPage) peopleHere(now time.Time) string {
	invited := 0
	for _, i := range p.Invites {
		if i.Open(now) {
			invited++
		}
	}
	here := part.Count(len(p.Users), "person")
	if len(p.Users) != 1 {
		here = part.Number(len(p.Users)) + " people"
	}
	if invited > 0 {
		here += ", " + part.Number(invited) + " invited"
	}
	return here
}

func roleName(u db.User) string {
	if u.IsAdmin() {
		return "Admin"
	}
	return "Member"
}

// EscapedEmail writes out the unusual characters of an e-mail address, because two
// such addresses may look the same.
func EscapedEmail(email string) string {
	var b strings.Builder
	for _, r := range email {
		if r < ' ' || r > '~' {
			fmt.Fprintf(&b, "[U+%04X]", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
