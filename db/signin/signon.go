package signin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/format"
)

// An Admission says who may join by signing in through the OpenID provider.
type Admission string

// The admissions. The zero value is by invitation.
const (
	AdmitInvited Admission = ""       // people whose verified e-mail address has an open invitation
	AdmitNobody  Admission = "nobody" // nobody new
	AdmitDomain  Admission = "domain" // people with a verified e-mail address of a domain, and invited people
)

// Rules says how people sign in. The zero value is the initial setting.
type Rules struct {
	Label       string    `json:"label,omitempty"` // the provider's name on the pages
	Admit       Admission `json:"admit,omitempty"`
	Domains     []string  `json:"domains,omitempty"` // for AdmitDomain, in lower case
	LinkByEmail bool      `json:"linkByEmail,omitempty"`
	Scopes      []string  `json:"scopes,omitempty"` // requested besides the usual ones

	RoleClaim string   `json:"roleClaim,omitempty"` // name of the claim; empty if roles are assigned in Dailies
	Admins    []string `json:"admins,omitempty"`    // values of that claim that make somebody an admin
	Members   []string `json:"members,omitempty"`
	Viewers   []string `json:"viewers,omitempty"`
	Otherwise db.Role  `json:"otherwise,omitempty"` // role of people with none of these values; empty if they are refused

	PasswordsOff bool `json:"passwordsOff,omitempty"`
	SecondStep   bool `json:"secondFactor,omitempty"` // required with a password
}

// Role returns the role for the values of the claim, or "" for somebody who is
// refused. Given is false if roles do not come from a claim.
func (r Rules) Role(values []string) (role db.Role, given bool) {
	if r.RoleClaim == "" {
		return "", false
	}
	for _, of := range []struct {
		role   db.Role
		values []string
	}{{db.Admin, r.Admins}, {db.Member, r.Members}, {db.Viewer, r.Viewers}} {
		if slices.ContainsFunc(values, func(v string) bool { return slices.Contains(of.values, v) }) {
			return of.role, true
		}
	}
	return r.Otherwise, true
}

// HasDomain reports whether the e-mail address belongs to one of the domains.
func (r Rules) HasDomain(email string) bool {
	key := db.EmailKey(email)
	return slices.Contains(r.Domains, key[strings.LastIndex(key, "@")+1:])
}

// A Fact describes one of the rules in words, for the audit.
type Fact struct{ Name, Value string }

// Facts describes the rules in words, always in the same order.
func (r Rules) Facts() []Fact {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	admit := map[Admission]string{AdmitInvited: "by invitation", AdmitNobody: "nobody new", AdmitDomain: "by domain"}
	otherwise := string(r.Otherwise)
	if otherwise == "" {
		otherwise = "refused"
	}
	return []Fact{
		{"Company sign-in: name", r.Label},
		{"Company sign-in: who may join", admit[r.Admit]},
		{"Company sign-in: domains", format.List(r.Domains)},
		{"Company sign-in: connect accounts by email", yes(r.LinkByEmail)},
		{"Company sign-in: scopes", strings.Join(r.Scopes, " ")},
		{"Company sign-in: claim with the roles", r.RoleClaim},
		{"Company sign-in: admins", format.List(r.Admins)},
		{"Company sign-in: members", format.List(r.Members)},
		{"Company sign-in: viewers", format.List(r.Viewers)},
		{"Company sign-in: everyone else", otherwise},
		{"Sign-in: passwords", yes(!r.PasswordsOff)},
		{"Sign-in: second step required", yes(r.SecondStep)},
	}
}

// Claims is what a provider says about a person.
type Claims struct {
	Issuer, Subject string
	Name, Email     string
	EmailVerified   bool
	Values          []string // of the claim with the roles
}

// An Identity is an account at a provider with which a person signs in.
type Identity struct {
	ID        int64
	UserID    int64
	Issuer    string
	Subject   string
	Email     string // as the provider last reported it
	CreatedAt time.Time
	UsedAt    time.Time
}

// A ProviderSession is a session about which its provider is asked from time to time.
type ProviderSession struct {
	SessionID, UserID int64
	Sealed            []byte // the provider's tokens
	Tries             int    // how often the provider was asked since its last answer
}

// How often a provider is asked about a session.
const (
	RecheckEvery = 15 * time.Minute
	RecheckIdle  = 24 * time.Hour  // not while the session was unused for so long
	RecheckLease = 5 * time.Minute // longer than an answer may take
)

// A Refusal says why somebody could not sign in.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return fmt.Sprintf("sign-in refused: %s", string(r)) }

// The refusals.
const (
	RefusedPassword    Refusal = "wrong address or password"
	RefusedCode        Refusal = "wrong code"
	RefusedPasskey     Refusal = "the passkey does not fit"
	RefusedRestored    Refusal = "the passkey is of a restored backup and needs the password once"
	RefusedAnswer      Refusal = "no valid answer of the provider"
	RefusedByProvider  Refusal = "the provider refused"
	RefusedOff         Refusal = "passwords are turned off"
	RefusedDeactivated Refusal = "the account is deactivated"
	RefusedUnverified  Refusal = "the provider has not verified the e-mail address"
	RefusedNobody      Refusal = "nobody new is admitted"
	RefusedUninvited   Refusal = "no open invitation for the e-mail address"
	RefusedDomain      Refusal = "the domain is not admitted"
	RefusedRole        Refusal = "the provider gives no role"
	RefusedUnlinked    Refusal = "an account with the e-mail address is not connected"
	RefusedTaken       Refusal = "connected to another account"
	RefusedTooMany     Refusal = "too many tries"
)

// RefusalKinds returns all that Kind can return.
func RefusalKinds() []string {
	return []string{"password", "code", "passkey", "provider", "deactivated", "passwords_off", "too_many"}
}

// Kind returns the kind of the refusal, for the metrics. Whatever the provider, or the
// rules for people who come from there, refuse is of the kind "provider".
func (r Refusal) Kind() string {
	switch r {
	case RefusedPassword:
		return "password"
	case RefusedCode:
		return "code"
	case RefusedPasskey, RefusedRestored:
		return "passkey"
	case RefusedDeactivated:
		return "deactivated"
	case RefusedOff:
		return "passwords_off"
	case RefusedTooMany:
		return "too_many"
	}
	return "provider"
}
