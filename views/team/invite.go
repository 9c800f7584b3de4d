package team

import (
	"fmt"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
)

// An InviteForm holds the form that invites people, as it was typed.
type InviteForm struct {
	Role      db.Role
	Limit     team.Limit
	Credits   string // the amount, for a limit of their own
	Addresses string
	Problems  []string // messages about single addresses
	Errors    part.Errors

	Default db.Credits // the limit of users without a limit of their own
}

// invitee says who may join with the link.
func invitee(i db.Invite) string {
	if i.Email == "" {
		return "Whoever has the link"
	}
	return i.Email
}

// inviteLimit describes the limit of a user who joins with the link.
func inviteLimit(i db.Invite, standard db.Credits) string {
	return limitWords(team.Limit{Allowance: team.Allowance(i.Allowance), Credits: i.Credits}, standard)
}

// limitWords says how much may be spent in a month.
func limitWords(l team.Limit, standard db.Credits) string {
	limit := l.In(standard)
	if !limit.Known {
		return "No limit"
	}
	return fmt.Sprintf("%s a month", part.Number(limit.Amount))
}

// maxInvites returns how many people can be invited at once.
func maxInvites() string { return strconv.Itoa(db.MaxInvites) }

// mailed reports whether the links just made were also sent by mail.
func (p MembersPage) mailed() bool {
	return p.Mail && !slices.ContainsFunc(p.NewLinks, func(l NewLink) bool { return l.Email == "" })
}
