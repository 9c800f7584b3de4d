package team

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
)

// A MemberPage shows one user to admins.
type MemberPage struct {
	Member      team.Member
	Had         team.Belongings
	Limits      spending.Limits
	Role        *input.Choice
	SecondSteps signin.SecondSteps // means of signing in besides a password
	Connected   []signin.Identity  // the accounts at a provider with which they sign in
	// SetUp is the audit entry that says that a second step was set up by somebody who
	// had given only the password; zero if there is none.
	SetUp audit.Entry
	// Guessed is the audit entry about many wrong codes for the account; the zero Entry
	// if there is none, or the password was changed since.
	Guessed audit.Entry
	// PasswordsOff says that the team has turned passwords off, so that connected
	// accounts are not removed together with the second step.
	PasswordsOff bool
	ResetLink    string // the reset link just made, shown only once
	Mailed       bool   // the reset link was also sent by mail
}

// NewRole returns the field with a person's role.
func NewRole(role db.Role) *input.Choice {
	c := roleChoice(role)
	c.Heading = true
	return &c
}

// RoleChanged says which role a person has now.
func RoleChanged(name string, role db.Role) string {
	switch role {
	case db.Admin:
		return fmt.Sprintf("%s is an admin now.", naming.Isolated(name))
	case db.Viewer:
		return fmt.Sprintf("%s is a viewer now.", naming.Isolated(name))
	}
	return fmt.Sprintf("%s is a member now.", naming.Isolated(name))
}

// OnlyAdmin is the sentence about somebody who has to stay an admin.
const OnlyAdmin = "The only admin. Make another person an admin first."

// asks returns what the person asks for.
func (p MemberPage) asks(all []spending.Ask) []OpenAsk {
	return MembersPage{Limits: p.Limits}.asksOf(p.Member, all)
}

func (p MemberPage) path(action string) string { return MemberPath(p.Member.ID) + "/" + action }

// lookUp returns the path with the user's ID appended.
func (p MemberPage) lookUp(path string) string { return path + strconv.FormatInt(p.Member.ID, 10) }

// limitForm returns the form with the user's limit.
func (p MemberPage) limitForm() PersonLimit {
	return NewPersonLimit(p.Member.User, p.Member.Limit, p.Limits.Default, MemberPath(p.Member.ID))
}

// returnsUntil returns the time until which a deactivated account can be activated
// again.
func (p MemberPage) returnsUntil() time.Time { return p.Member.DeactivatedAt.Add(team.ReturnLife) }

// A LeavePage asks who gets the things of a user who leaves.
type LeavePage struct {
	User      db.User
	Had       team.Belongings
	Found     int    // number of colleagues that Query matches
	Query     string // words of a name or an e-mail address to search for
	Many      bool   // there are too many colleagues to list them all
	OnlyAdmin bool   // the user is the only admin

	HandTo   input.Choice // the ID of a colleague, or empty
	Private  input.Choice
	EndLinks bool
	Error    string // about the form as a whole
}

// IntoBin is the value of Private that puts private videos into the bin.
const IntoBin = "bin"

// NewLeavePage returns the page on which nothing is chosen yet.
func NewLeavePage() LeavePage {
	return LeavePage{
		HandTo: input.Choice{Field: input.Field{
			Name: "hand_to", Label: "Where does it go?", Hint: "Videos, recipes, collections and shared links",
		}},
		Private: input.Choice{
			Field: input.Field{Name: "private", Value: "hand"},
			Options: []input.Option{
				{Value: "hand", Label: "To the same colleague", Hint: "Only the colleague sees them"},
				{Value: IntoBin, Label: "To the bin"},
			},
			Wrong: chooseOne,
		},
	}
}

// Heir returns the ID of the colleague who is chosen, 0 if there is none.
func (p LeavePage) Heir() int64 {
	id, _ := strconv.ParseInt(p.HandTo.Value, 10, 64) // nobody has the ID 0
	return max(id, 0)
}

// Refuse says why the account is not deactivated.
func (p *LeavePage) Refuse(why error) {
	switch {
	case errors.Is(why, team.ErrLastAdmin):
		p.Error = OnlyAdmin
	case errors.Is(why, team.ErrUnfinished):
		p.HandTo.Error = "Private videos are still in progress. Choose who gets them, or wait."
	case p.Heir() != 0:
		p.HandTo.Error = "Choose an active person who can make videos."
	case p.HandTo.Value != "":
		p.HandTo.Error = chooseOne
	default:
		p.Private.Error = "Choose a colleague above, or the bin."
	}
}

// Offer fills in the user and the colleagues to list: those that Query matches, up to a
// limit, and the one who is already chosen.
func (p *LeavePage) Offer(u db.User, colleagues []db.User) {
	p.User, p.Many = u, len(colleagues) > team.MembersShown
	found := team.FindUsers(colleagues, p.Query)
	listed := found[:min(len(found), team.MembersShown)]
	isChosen := func(u db.User) bool { return u.ID == p.Heir() }
	if at := slices.IndexFunc(colleagues, isChosen); at >= 0 && !slices.ContainsFunc(listed, isChosen) {
		listed = append(slices.Clone(listed), colleagues[at])
	}
	p.Found, p.HandTo.Options = len(found), []input.Option{{Label: "Nobody. It stays under their name"}}
	for _, c := range listed {
		p.HandTo.Options = append(p.HandTo.Options, input.Option{Value: strconv.FormatInt(c.ID, 10), Label: part.Person(c)})
	}
	p.Private.Options[1].Hint = fmt.Sprintf("Deleted after 30 days, unless %s comes back and restores them", naming.Isolated(u.Name))
}

// private returns the choice of what happens to the private videos.
func (p LeavePage) private() input.Choice {
	p.Private.Label = fmt.Sprintf("Private videos: %s", part.Number(p.Had.Private))
	return p.Private
}

// offered says which colleagues can be chosen, if not all of them.
func (p LeavePage) offered() string {
	switch {
	case p.Found > team.MembersShown:
		return fmt.Sprintf("%s of %s people. Find others by name.", part.Number(team.MembersShown), part.Number(p.Found))
	case p.Query != "" && p.Found == 0:
		return "Nobody with this name or address"
	case p.Query != "":
		return part.Plural(p.Found, "%s person found", "%s people found")
	}
	return ""
}

// things lists what the user owns, in words.
func things(b team.Belongings) (list []string) {
	add := func(n int, one, many string) {
		if n > 0 {
			list = append(list, part.Plural(n, one, many))
		}
	}
	add(b.Videos, "%s video", "%s videos")
	add(b.Private, "%s of them private", "%s of them private")
	add(b.Running, "%s video in progress", "%s videos in progress")
	add(b.Waiting, "%s queued video", "%s queued videos")
	add(b.Unsettled, "%s video that may not have started", "%s videos that may not have started")
	add(b.Recipes, "%s recipe", "%s recipes")
	add(b.Collections, "%s collection", "%s collections")
	add(b.Links, "%s shared link", "%s shared links")
	add(b.JoinLinks, "%s open invitation", "%s open invitations")
	add(b.Browsers, "%s signed-in browser", "%s signed-in browsers")
	add(b.Tokens, "%s token", "%s tokens")
	add(b.Webhooks, "%s webhook", "%s webhooks")
	if b.HasKey {
		list = append(list, "own key")
	}
	return list
}

// ends lists what ends at once when the user leaves.
func (p LeavePage) ends() (list []string) {
	list = append(list, "They’re signed out, and can’t sign in.")
	if p.Had.Waiting > 0 {
		list = append(list, part.Plural(p.Had.Waiting, "%s queued video isn’t made. Nothing is charged.", "%s queued videos aren’t made. Nothing is charged."))
	}
	if p.Had.Running > 0 {
		list = append(list, "Running videos go on.")
	}
	if p.Had.JoinLinks > 0 {
		list = append(list, "Their open invitations stop.")
	}
	if p.User.IsAdmin() {
		list = append(list, "Password links they made stop.")
	}
	if p.Had.Tokens > 0 {
		list = append(list, part.Plural(p.Had.Tokens, "%s token of their programs ends.", "%s tokens of their programs end."))
	}
	if p.Had.Webhooks > 0 {
		list = append(list, part.Plural(p.Had.Webhooks, "%s webhook of theirs ends.", "%s webhooks of theirs end."))
	}
	if p.Had.TeamHooks > 0 {
		list = append(list, part.Plural(p.Had.TeamHooks,
			"%s webhook of the team that they made goes on. Admins get an email.", "%s webhooks of the team that they made go on. Admins get an email."))
	}
	if p.Had.HasKey {
		list = append(list, "Their own key is deleted here. Delete it at the service too.")
	}
	return append(list, "What they spent stays theirs.")
}

// signingOut says what ends with the user's sessions.
func (p MemberPage) signingOut() string {
	return fmt.Sprintf("They can sign in again. For good end their tokens: %s, webhooks: %s.", part.Number(p.Had.Tokens), part.Number(p.Had.Webhooks))
}

// disconnects reports whether connected accounts are removed together with the second
// step. They are if the user can still sign in with a password.
func (p MemberPage) disconnects() bool {
	return len(p.Connected) > 0 && !p.PasswordsOff && p.Member.Password != ""
}

// connected lists the accounts at a provider with which the user signs in.
func (p MemberPage) connected() string {
	var names []string
	for _, i := range p.Connected {
		names = append(names, cmp.Or(i.Email, i.Subject))
	}
	return format.List(names)
}

// takes says what is removed together with the second step.
func (p MemberPage) takes() string {
	if p.disconnects() {
		return "They’re signed out everywhere. Passkeys and company accounts are removed; a password signs them in."
	}
	return "They’re signed out everywhere. Passkeys are removed; a password signs them in."
}

// secondSteps says which means of signing in the user has besides a password.
func (p MemberPage) secondSteps() string {
	switch {
	case p.SecondSteps.Codes && p.SecondSteps.Passkeys > 0:
		return part.Plural(p.SecondSteps.Passkeys, "Codes from an app and %s passkey.", "Codes from an app and %s passkeys.")
	case p.SecondSteps.Codes:
		return "Codes from an app."
	}
	return part.Plural(p.SecondSteps.Passkeys, "%s passkey.", "%s passkeys.")
}
