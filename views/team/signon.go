package team

import (
	"strings"

	"dailies/db/format"
	"dailies/db/team"
	"dailies/views/part"
)

// A SignOnPage shows the rules for signing in. Admins only.
type SignOnPage struct {
	Form     SignOnForm
	Issuer   string // the provider's issuer URL; empty without a provider
	Host     string
	Callback string // the callback URL to register at the provider
	// Unconnected is the number of active users who have not connected an account at
	// the provider.
	Unconnected int
	Errors      part.Errors
}

// unconnected says how many users cannot sign in without passwords.
func (p SignOnPage) unconnected() string {
	return part.Plural(p.Unconnected,
		"%s active person has not connected an account with the provider so far. Without passwords they cannot sign in, unless “Connect by e-mail address” is on.",
		"%s active people have not connected an account with the provider so far. Without passwords they cannot sign in, unless “Connect by e-mail address” is on.")
}

// A SignOnForm holds the rules as typed.
type SignOnForm struct {
	Label, Admit, Domains, Scopes, Claim, Admins, Members, Viewers, Otherwise string
	Link, Passwords, Second                                                   bool
}

// SignOnOf returns the form with the rules.
func SignOnOf(r team.Rules) SignOnForm {
	text := func(list []string) string { return strings.Join(list, "\n") }
	return SignOnForm{
		Label: r.Label, Admit: string(r.Admit), Domains: format.List(r.Domains), Scopes: strings.Join(r.Scopes, " "), Claim: r.RoleClaim,
		Admins: text(r.Admins), Members: text(r.Members), Viewers: text(r.Viewers), Otherwise: string(r.Otherwise),
		Link: r.LinkByEmail, Passwords: !r.PasswordsOff, Second: r.SecondFactor,
	}
}

// admissions lists the choices of who may join through the provider.
var admissions = []struct{ Value, Label, Note string }{
	{string(team.AdmitNobody), "Nobody new", "Only people who have an account here already."},
	{string(team.AdmitInvited), "Invited people", "Those whose confirmed address an open invitation names. They get its role and limit."},
	{string(team.AdmitDomain), "Everybody of a domain", "Those with a confirmed address of a domain below, as members, and invited people."},
}

// others lists the choices for users to whom no value of the claim gives a role.
var others = []struct{ Value, Label string }{
	{"", "They cannot sign in"}, {"viewer", "They are viewers"}, {"member", "They are members"},
}
