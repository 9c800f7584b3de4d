package account

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

// inviteStatus says what became of an invitation.
func (p MembersPage) inviteStatus(i db.Invite, now time.Time) string {
	switch {
	case !i.UsedAt.IsZero():
		return p.name(i.UsedBy) + " joined with it " + part.Ago(i.UsedAt, now) + "."
	case i.Open(now):
		return "Works until " + part.Moment(i.ExpiresAt) + "."
	}
	return "Nobody used it. It ended " + part.Ago(i.ExpiresAt, now) + "."
}

func (p MembersPage) name(id int64) string {
	for _, u := range p.Users {
		if u.ID == id {
			return u.Name
		}
	}
	return "Somebody"
}

func peopleHere(n int) string {
	if n == 1 {
		return "Just you so far"
	}
	return part.Number(n) + " people"
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
