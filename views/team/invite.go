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
	Mail  bool   // invitations of addresses are sent by mail
}

// NewInviteForm returns an empty form, given the limit of users without a limit of their
// own, and whether mails can be sent.
func NewInviteForm(standard db.Credits, mail bool) InviteForm {
	form := InviteForm{
		Addresses: input.Text{
			Field: input.Field{
				Name: "addresses", Label: "Email addresses", Focus: input.OnError,
				Hint: "Paste as many as you like.",
			},
			Rows: 3, Plain: true,
		},
		Role: roleChoice(db.Member),
		LimitFields: NewLimitFields(spending.Limit{Allowance: spending.Default}, "Limit", LimitWords(
			spending.Limit{Allowance: spending.Default}, standard,
		)),
	}
	form.Credits.Focus, form.Mail = input.Never, mail
	return form
}

// roleChoice returns the field for a role.
func roleChoice(role db.Role) input.Choice {
	c := input.Choice{Field: input.Field{Name: "role", Label: "Role", Value: string(role), Rules: input.Offered(chooseOne)}}
	for _, r := range roles() {
		c.Options = append(c.Options, input.Option{Value: string(r), Label: roleName(r), Hint: roleMeans(r)})
	}
	return c
}

// chooseOne is the sentence about a choice that was not offered.
const chooseOne = "Choose one."

// TooMany says that more people cannot be invited at once.
func (f InviteForm) TooMany() string {
	return fmt.Sprintf("%d people at once at most", signin.MaxInvites)
}

// The sentences about addresses with problems, and about links for which there is no place.
const (
	PutRight    = "Nobody is invited yet. Fix or remove these:"
	TooManyOpen = "Too many open invitations. Turn some off first."
)

// NoAddress says that a text is not an email address.
func NoAddress(text string) string { return fmt.Sprintf("“%s” isn’t an address yet.", text) }

// invitee says who may join with the link.
func invitee(i signin.Invite) string {
	if i.Email == "" {
		return "Anyone with the link"
	}
	return i.Email
}

// invitePath returns the path that does the action with the invitation.
func invitePath(i signin.Invite, action string) string {
	return fmt.Sprintf("/members/invites/%d/%s", i.ID, action)
}

// inviteLimit describes the limit of a user who joins with the link.
func inviteLimit(i signin.Invite, standard db.Credits) string {
	return LimitWords(spending.Limit{Allowance: spending.Allowance(i.Allowance), Credits: i.Credits}, standard)
}

// LimitWords says how much may be spent in a month.
func LimitWords(l spending.Limit, standard db.Credits) string {
	limit := l.In(standard)
	if !limit.Known {
		return "No limit"
	}
	return fmt.Sprintf("%s a month", part.Number(limit.Amount))
}

// send names the button that makes n invitations; 0 stands for a number that is not known.
func (f InviteForm) send(n int) string {
	switch {
	case n == 0 && f.Mail:
		return "Send invitations"
	case n == 0:
		return "Make links"
	case n == 1 && f.Mail:
		return "Send 1 invitation"
	case n == 1:
		return "Make 1 link"
	case f.Mail:
		return "Send # invitations"
	}
	return "Make # links"
}

// afterwards says what becomes of the links just made.
func (p MembersPage) afterwards() string {
	switch one := len(p.NewLinks) == 1; {
	case one && p.mailed():
		return "Sent by email. For one person, 7 days. Copy it now; it isn’t shown again."
	case one:
		return "For one person, 7 days. Copy it now; it isn’t shown again."
	case p.mailed():
		return "Sent by email. For one person each, 7 days. Copy them now; they aren’t shown again."
	}
	return "For one person each, 7 days. Copy them now; they aren’t shown again."
}

// mailed reports whether the links just made were also sent by mail.
func (p MembersPage) mailed() bool {
	return p.Mail && !slices.ContainsFunc(p.NewLinks, func(l NewLink) bool { return l.Email == "" })
}
