package team

import (
	"fmt"
	"strings"

	"dailies/db/format"
	"dailies/db/signin"
	"dailies/views/input"
	"dailies/views/part"
)

// A SignOnPage shows the rules for signing in. Admins only.
type SignOnPage struct {
	Form     *SignOnForm
	Issuer   string // the provider's issuer URL; empty without a provider
	Host     string
	Callback string // the callback URL to register at the provider
	// Unconnected is the number of active users who have not connected an account at
	// the provider.
	Unconnected int
}

// label returns the field for what people call the provider: by default its host.
func (p SignOnPage) label() input.Text {
	label := p.Form.Label
	label.Sample = p.Host
	return label
}

// unconnected says how many users cannot sign in without passwords.
func (p SignOnPage) unconnected() string {
	return part.Plural(p.Unconnected,
		"%s active person has not connected an account with the provider so far. Without passwords they cannot sign in, unless “Connect by e-mail address” is on.",
		"%s active people have not connected an account with the provider so far. Without passwords they cannot sign in, unless “Connect by e-mail address” is on.")
}

// A SignOnForm has the fields of the rules.
type SignOnForm struct {
	Label, Domains, Claim, Scopes input.Text
	Admins, Members, Viewers      input.Text // one value in a line
	Admit, Otherwise              input.Choice
	Link, Passwords, Second       input.Switch
}

// Inputs returns all fields, in the order of the page.
func (f *SignOnForm) Inputs() []input.Input {
	return []input.Input{
		&f.Passwords, &f.Second, &f.Label, &f.Admit, &f.Domains, &f.Link, &f.Claim, &f.Admins, &f.Members, &f.Viewers, &f.Otherwise, &f.Scopes,
	}
}

// maxLabel limits the characters of what people call the provider.
const maxLabel = 60

// NewSignOnForm returns the form with the rules.
func NewSignOnForm(r signin.Rules) *SignOnForm {
	list := func(name, label string, values []string) input.Text {
		return input.Text{Field: input.Field{Name: name, Label: label, Hint: "One value in a line.", Value: strings.Join(values, "\n")}, Rows: 3, Plain: true}
	}
	return &SignOnForm{
		Label: input.Text{
			Field: input.Field{Name: "label", Label: "What people call it", Hint: "It stands on the button. Such as: your school account.", Value: r.Label},
			Room:  maxLabel, Most: maxLabel, Long: fmt.Sprintf("Please use at most %d characters for what people call it.", maxLabel),
		},
		Admit: input.Choice{
			Field: input.Field{Name: "admit", Label: "Who is let in for the first time", Value: string(r.Admit)},
			Options: []input.Option{
				{Value: string(signin.AdmitNobody), Label: "Nobody new", Hint: "Only people who have an account here already."},
				{Value: string(signin.AdmitInvited), Label: "Invited people", Hint: "Those whose confirmed address an open invitation names. They get its role and limit."},
				{Value: string(signin.AdmitDomain), Label: "Everybody of a domain", Hint: "Those with a confirmed address of a domain below, as members, and invited people."},
			},
			Wrong: "Please choose who is let in.",
		},
		Domains: input.Text{
			Field: input.Field{Name: "domains", Label: "Domains", Hint: "Such as example.com. Several with commas between them.", Value: format.List(r.Domains)},
			Plain: true,
		},
		Link: input.Switch{
			Field: input.Field{
				Name: "link", Label: "Connect by e-mail address",
				Hint: "Somebody who has an account here is recognised by the same confirmed address. Their password, passkeys and codes end then, and they are signed out elsewhere. Turn this on only if nobody can choose an address freely there. Without it people connect their accounts in Settings.",
			},
			On: r.LinkByEmail,
		},
		Claim: input.Text{
			Field: input.Field{Name: "claim", Label: "Claim with the groups or roles", Hint: "Such as groups, or realm_access.roles. Empty: roles are given on the Members page.", Value: r.RoleClaim},
			Plain: true,
		},
		Admins:  list("admins", "Admins", r.Admins),
		Members: list("members", "Members", r.Members),
		Viewers: list("viewers", "Viewers", r.Viewers),
		Otherwise: input.Choice{
			Field:   input.Field{Name: "otherwise", Label: "People with none of these", Value: string(r.Otherwise)},
			Options: []input.Option{{Label: "They cannot sign in"}, {Value: "viewer", Label: "They are viewers"}, {Value: "member", Label: "They are members"}},
			Wrong:   "Please choose what happens to people with none of these.",
		},
		Scopes: input.Text{
			Field: input.Field{
				Name: "scopes", Label: "Also ask the provider for", Value: strings.Join(r.Scopes, " "),
				Hint: "Some providers tell groups only to those who ask for them, such as with the word groups.",
			},
			Plain: true,
		},
		Passwords: input.Switch{
			Field: input.Field{
				Name: "passwords", Label: "People can sign in with a password or a passkey",
				Hint: "Without this the only way in is the provider below, and others who signed in with one are signed out. Whoever runs the server can still make a link: dailies password.",
			},
			On: !r.PasswordsOff,
		},
		Second: input.Switch{
			Field: input.Field{
				Name: "second", Label: "A password alone is not enough",
				Hint: "Everybody who signs in with a password needs a code or a passkey too. People without one set it up at their next page.",
			},
			On: r.SecondStep,
		},
	}
}

// The sentences about what the form asks for.
const (
	NoOtherWay   = "This server knows no other way to sign in. Passwords have to stay on."
	NoAdminByIt  = "No admin has signed in with the other account so far, so nobody could turn passwords on again. Connect yours in Settings first."
	NoDomain     = "Please name at least one domain, such as example.com."
	WrongScopes  = "Please ask the provider for words such as groups, with spaces between them."
	WrongClaim   = "Please give the claim as one word, such as groups or realm_access.roles."
	NoAdminValue = "Please give at least one value for admins, so that there is always one."
)

// WrongDomain says that the text is no domain.
func WrongDomain(text string) string {
	return fmt.Sprintf("“%s” is not a domain such as example.com.", text)
}

// TooManyValues says that a list is too long.
func TooManyValues(most int) string {
	return fmt.Sprintf("These are too many. Please give at most %d.", most)
}
