package team

import (
	"fmt"
	"strings"

	"dailies/db/format"
	"dailies/db/signin"
	"dailies/views/input"
	"dailies/views/part"
)

// A SecurityPage shows the rules for signing in, and the newest entries of the audit.
// Admins only.
type SecurityPage struct {
	Form     *SignOnForm
	Issuer   string // the provider's issuer URL; empty without a provider
	Host     string
	Callback string // the callback URL to register at the provider
	// Unconnected is the number of active users who have not connected an account at
	// the provider.
	Unconnected int
	Audit       AuditPage
}

// label returns the field for what people call the provider: by default its host.
func (p SecurityPage) label() input.Text {
	label := p.Form.Label
	label.Sample = p.Host
	return label
}

// unconnected says how many users cannot sign in without passwords.
func (p SecurityPage) unconnected() string {
	return part.Plural(p.Unconnected,
		"%s person hasn’t connected a company account. Without a password they can’t sign in, unless “Connect by email” is on.",
		"%s people haven’t connected a company account. Without a password they can’t sign in, unless “Connect by email” is on.")
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
		&f.Passwords, &f.Second, &f.Label, &f.Admit, &f.Domains, &f.Link, &f.Claim, &f.Admins, &f.Members, &f.Viewers, &f.Otherwise,
		&f.Scopes,
	}
}

// companyIsWrong reports whether something is wrong with a field of the company sign-in.
func (f *SignOnForm) companyIsWrong() bool { return input.AreWrong(f.Inputs()[2:]...) }

// SecurityFact says how people sign in.
func SecurityFact(r signin.Rules, company bool) string {
	switch {
	case r.PasswordsOff:
		return "Company sign-in only"
	case company && r.SecondStep:
		return "Company, password with a second step"
	case company:
		return "Company, password, passkeys"
	case r.SecondStep:
		return "Password with a second step"
	}
	return "Password, passkeys"
}

// NewSignOnForm returns the form with the rules.
func NewSignOnForm(r signin.Rules) *SignOnForm {
	list := func(name, label string, values []string, rules ...input.Rule) input.Text {
		rules = append(rules, input.Valid(fmt.Sprintf("lines=%d", MaxList), TooManyValues))
		return input.Text{
			Field: input.Field{Name: name, Label: label, Hint: "One a line", Value: strings.Join(values, "\n"), Rules: rules},
			Rows:  3, Plain: true,
		}
	}
	return &SignOnForm{
		Label: input.Text{
			Field: input.Field{
				Name: "label", Label: "What people call it", Hint: "Stands on the button, such as “your school account”",
				Value: r.Label, Rules: input.Rules{input.Max(60, "60 characters at most")},
			},
		},
		Admit: input.Choice{
			Field: input.Field{Name: "admit", Label: "Who may join", Value: string(r.Admit), Rules: input.Offered(chooseOne)},
			Options: []input.Option{
				{Value: string(signin.AdmitNobody), Label: "Nobody new", Hint: "Only people who have an account here"},
				{Value: string(signin.AdmitInvited), Label: "People with an open invitation", Hint: "They get its role and limit"},
				{Value: string(signin.AdmitDomain), Label: "Anyone from these domains", Hint: "As members. Invited people too"},
			},
		},
		Domains: input.Text{
			Field: input.Field{Name: "domains", Label: "Domains", Hint: "Such as example.com, example.org", Value: format.List(r.Domains)},
			Plain: true,
		},
		Link: input.Switch{
			Field: input.Field{
				Name: "link", Label: "Connect by email",
				Hint: "The same confirmed address gets the same account here; its password, passkeys and codes end. Only if nobody can choose their address there.",
			},
			On: r.LinkByEmail,
		},
		Claim: input.Text{
			Field: input.Field{
				Name: "claim", Label: "Claim with groups or roles",
				Hint: "Such as groups or realm_access.roles. Empty: roles are set under People", Value: r.RoleClaim,
				Rules: input.Rules{input.Valid("bytes=100,excludesall= \n\t", "One word, such as “groups”")},
			},
			Plain: true,
		},
		Admins: list("admins", "Admins", r.Admins,
			input.Valid("required_beside", "Name at least one value for admins.").With("claim")),
		Members: list("members", "Members", r.Members),
		Viewers: list("viewers", "Viewers", r.Viewers),
		Otherwise: input.Choice{
			Field:   input.Field{Name: "otherwise", Label: "Everyone else", Value: string(r.Otherwise), Rules: input.Offered(chooseOne)},
			Options: []input.Option{{Label: "Can’t sign in"}, {Value: "viewer", Label: "Viewer"}, {Value: "member", Label: "Member"}},
		},
		Scopes: input.Text{
			Field: input.Field{
				Name: "scopes", Label: "Also ask for", Value: strings.Join(r.Scopes, " "),
				Hint:  "Some providers tell groups only if asked, such as with the word groups",
				Rules: input.Rules{input.Valid("scopes=20", "Words with spaces between them, such as groups")},
			},
			Plain: true,
		},
		Passwords: input.Switch{
			Field: input.Field{
				Name: "passwords", Label: "Password or passkey",
				Hint: "Turn off to allow company sign-in only. People with a password are signed out.",
			},
			On: !r.PasswordsOff,
		},
		Second: input.Switch{
			Field: input.Field{
				Name: "second", Label: "Second step for everyone",
				Hint: "A code or a passkey after the password. People without one set it up next time.",
			},
			On: r.SecondStep,
		},
	}
}

// The sentences about what the form asks for.
const (
	NoOtherWay    = "Company sign-in isn’t set up, so passwords stay on."
	NoAdminByIt   = "Sign in with the company account yourself first."
	NoDomain      = "Name a domain, such as example.com."
	TooManyValues = "100 at most"
)

// MaxList limits each list of the form.
const MaxList = 100

// WrongDomain says that the text is no domain.
func WrongDomain(text string) string {
	return fmt.Sprintf("“%s” isn’t a domain such as example.com.", text)
}
