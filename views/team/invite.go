package team

import (
	"fmt"
	"slices"

	"dailies/db"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/views/input"
	"dailies/views/part"
)

// An InviteForm holds the form that invites people, as it was typed.
type InviteForm struct {
	Addresses input.Text
	Problems  []string // messages about single addresses
	Role      input.Choice
	LimitFields
	Error string // about the form as a whole
}

// NewInviteForm returns an empty form, given the limit of users without a limit of their
// own.
func NewInviteForm(standard db.Credits) InviteForm {
	form := InviteForm{
		Addresses: input.Text{
			Field: input.Field{
				Name: "addresses", Label: "E-mail addresses", Focus: input.OnError,
				Hint: fmt.Sprintf("One a line, or with commas between them; %d at most. Each gets a link of its own, with which only this address can join. Leave it empty for one link that anybody can use.", signin.MaxInvites),
			},
			Rows: 5, Plain: true,
		},
		Role:        roleChoice(db.Member),
		LimitFields: NewLimitFields(spending.Limit{Allowance: spending.Default}, "Limit", limitWords(spending.Limit{Allowance: spending.Default}, standard)),
	}
	form.Credits.Focus = input.Never
	return form
}

// roleChoice returns the field for a role.
func roleChoice(role db.Role) input.Choice {
	c := input.Choice{Field: input.Field{Name: "role", Label: "Role", Value: string(role)}, Wrong: chooseOne}
	for _, r := range roles() {
		c.Options = append(c.Options, input.Option{Value: string(r), Label: roleName(r), Hint: roleMeans(r)})
	}
	return c
}

// chooseOne is the sentence about a choice that was not offered.
const chooseOne = "Please choose one of these."

// TooMany says that more people cannot be invited at once.
func (f InviteForm) TooMany() string {
	return fmt.Sprintf("Please invite at most %d people at once.", signin.MaxInvites)
}

// The sentences about addresses with problems, and about links for which there is no place.
const (
	PutRight    = "Nobody is invited yet. Please put these right, or take them out:"
	TooManyOpen = "There are too many open links already. Turn off those that nobody needs any more, or wait until they expire."
)

// invitee says who may join with the link.
func invitee(i signin.Invite) string {
	if i.Email == "" {
		return "Whoever has the link"
	}
	return i.Email
}

// inviteLimit describes the limit of a user who joins with the link.
func inviteLimit(i signin.Invite, standard db.Credits) string {
	return limitWords(spending.Limit{Allowance: spending.Allowance(i.Allowance), Credits: i.Credits}, standard)
}

// limitWords says how much may be spent in a month.
func limitWords(l spending.Limit, standard db.Credits) string {
	limit := l.In(standard)
	if !limit.Known {
		return "No limit"
	}
	return fmt.Sprintf("%s a month", part.Number(limit.Amount))
}

// mailed reports whether the links just made were also sent by mail.
func (p MembersPage) mailed() bool {
	return p.Mail && !slices.ContainsFunc(p.NewLinks, func(l NewLink) bool { return l.Email == "" })
}
