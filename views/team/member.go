package team

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

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

// requests returns what the person asks for.
func (p MemberPage) requests(all []spending.CreditRequest) []OpenRequest {
	return MembersPage{Limits: p.Limits}.requestsOf(p.Member, all)
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
			Field: input.Field{Name: "private", Value: "hand", Rules: input.Offered(chooseOne)},
			Options: []input.Option{
				{Value: "hand", Label: "To the same colleague", Hint: "Only the colleague sees them"},
				{Value: IntoBin, Label: "To the bin"},
			},
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
		list = append(list, part.Plural(
			p.Had.Waiting, "%s queued video isn’t made. Nothing is charged.",
			"%s queued videos aren’t made. Nothing is charged.",
		))
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
			"%s webhook of the team that they made goes on. Admins get an email.",
			"%s webhooks of the team that they made go on. Admins get an email."))
	}
	if p.Had.HasKey {
		list = append(list, "Their own key is deleted here. Delete it at the service too.")
	}
	return append(list, "What they spent stays theirs.")
}

// signingOut says what ends with the user's sessions.
func (p MemberPage) signingOut() string {
	return fmt.Sprintf(
		"They can sign in again. For good end their tokens: %s, webhooks: %s.", part.Number(p.Had.Tokens),
		part.Number(p.Had.Webhooks),
	)
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

// A MembersPage lists the team's members and the join links. Admins only.
type MembersPage struct {
	Members    []team.Member // the members on this page of the list
	Active     int           // number of all active members
	Query      string        // words of a name or an e-mail address to search for
	Found      int
	Page       int // starts at 1
	Pages      int
	Names      map[int64]string // names of all users, by ID
	Limits     spending.Limits
	Invites    []signin.Invite
	NewLinks   []NewLink      // links just made, shown only once
	Mail       bool           // an invitation of an address is also sent by mail
	Duplicates [][]db.User    // groups of users whose e-mail addresses count as the same
	Invite     *InviteForm    // the form that invites people
	Facts      part.TeamFacts // on the page with the list of the sections
}

// NewZone returns the field with the team's time zone.
func NewZone(zone string) *input.Text {
	return &input.Text{
		Field: input.Field{
			Name: "zone", Label: "Team’s time zone", Value: zone, Focus: input.OnError,
			Hint: "Says when a day begins. Such as Europe/Berlin.", Rules: input.Rules{input.Valid("required,max=100,timezone", noZone)},
		},
		Others: templ.Attributes{"spellcheck": "false"},
	}
}

// noZone is the sentence about a time zone that there is not.
const noZone = "No such time zone. Try one like Europe/Berlin."

// A NewLink is an invitation with its URL.
type NewLink struct {
	signin.Invite
	Address string
}

// linkID returns the ID of the input with the nth link.
func linkID(n int) string {
	if n == 0 {
		return "new-link"
	}
	return "new-link-" + strconv.Itoa(n+1)
}

// all returns the URLs of the new links, one per line, after the e-mail address that
// each is for.
func (p MembersPage) all() string {
	var b strings.Builder
	for _, l := range p.NewLinks {
		fmt.Fprintf(&b, "%s %s\n", l.Email, l.Address)
	}
	return b.String()
}

// name returns the name of a member.
func (p MembersPage) name(id int64) string {
	if name := p.Names[id]; name != "" {
		return name
	}
	return "A person"
}

// pageAt returns the path of the page with the number.
func (p MembersPage) pageAt(number int) string {
	v := url.Values{}
	if p.Query != "" {
		v.Set("q", p.Query)
	}
	if number > 1 {
		v.Set("page", strconv.Itoa(number))
	}
	if len(v) == 0 {
		return "/members"
	}
	return "/members?" + v.Encode()
}

// maxPastInvites limits how many used or expired invitations the page lists.
const maxPastInvites = 20

// openInvites returns the invitations that can be used.
func (p MembersPage) openInvites(now time.Time) (open []signin.Invite) {
	for _, i := range p.Invites {
		if i.Open(now) {
			open = append(open, i)
		}
	}
	return open
}

// pastInvites returns the newest invitations that were used or have expired.
func (p MembersPage) pastInvites(now time.Time) (past []signin.Invite) {
	for _, i := range p.Invites {
		if !i.Open(now) && len(past) < maxPastInvites {
			past = append(past, i)
		}
	}
	return past
}

// isAlone reports whether the team has one person, and nobody was ever invited.
func (p MembersPage) isAlone() bool {
	return len(p.Members) == 1 && p.Query == "" && p.Pages == 1 && len(p.Invites) == 0
}

// requestsOf returns what the person asks for.
func (p MembersPage) requestsOf(m team.Member, requests []spending.CreditRequest) (of []OpenRequest) {
	for _, a := range requests {
		if a.UserID == m.ID {
			of = append(of, NewOpenRequest(a, m, p.Limits))
		}
	}
	return of
}

// rowID returns the ID of a person's row.
func rowID(id int64) string { return "member-" + strconv.FormatInt(id, 10) }

// PeopleHere says how many members there are, and how many people are invited.
func (p MembersPage) PeopleHere(now time.Time) string {
	if invited := len(p.openInvites(now)); invited > 0 {
		return part.Plural(p.Active, "%s person, %s invited", "%s people, %s invited", part.Number(invited))
	}
	return part.Plural(p.Active, "%s person", "%s people")
}

// MemberPath returns the path of the user's page.
func MemberPath(id int64) string { return "/members/" + strconv.FormatInt(id, 10) }

func roleName(r db.Role) string {
	switch r {
	case db.Admin:
		return "Admin"
	case db.Viewer:
		return "Viewer"
	}
	return "Member"
}

// roleMeans describes what users with the role can do.
func roleMeans(r db.Role) string {
	switch r {
	case db.Admin:
		return "Makes videos, manages the team"
	case db.Viewer:
		return "Watches and downloads"
	}
	return "Makes and shares videos"
}

// roles returns the roles in the order in which they are offered.
func roles() []db.Role { return []db.Role{db.Member, db.Viewer, db.Admin} }

// month says how much the user has spent this month, and of how much.
func month(m team.Member, standard db.Credits) string {
	limit := m.Limit.In(standard)
	if !limit.Known {
		return fmt.Sprintf("%s, no limit", part.Number(m.Spent))
	}
	return fmt.Sprintf("%s of %s", part.Number(m.Spent), part.Number(limit.Amount))
}

// apartLabel names the credits that do not count now.
func apartLabel(practice bool) string {
	if practice {
		return "Real credits this month"
	}
	return "Practice credits this month"
}

// limitLabel describes the button that changes a person's limit.
func limitLabel(m team.Member, limit db.Credits) string {
	if !limit.Known {
		return fmt.Sprintf("%s · no limit; change the limit of %s", part.Number(m.Spent), naming.Isolated(m.Name))
	}
	return fmt.Sprintf("%s of %s credits; change the limit of %s", part.Number(m.Spent), part.Number(limit.Amount), naming.Isolated(m.Name))
}

// ownLimit returns the limit to fill in: that of a person with a limit of their own.
func ownLimit(l spending.Limit) string {
	if l.Allowance != spending.Own {
		return ""
	}
	return db.CreditsOf(l.Credits).String()
}

// placeholder returns what stands in the field of a person without a limit of their own.
func placeholder(limit db.Credits) string {
	if !limit.Known {
		return "No limit"
	}
	return limit.String()
}

// keyName describes which key the user uses.
func keyName(k team.KeyInUse) string {
	switch {
	case k.IsOwn:
		return fmt.Sprintf("Own key, …%s", k.LastFour)
	case k.Team != "":
		return k.Team
	}
	return "None"
}

// EscapedEmail escapes the unusual characters of an e-mail address, because two
// addresses with such characters may look the same.
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
