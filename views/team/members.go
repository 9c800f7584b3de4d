package team

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
)

// A MembersPage lists the team's members and the join links. Admins only.
type MembersPage struct {
	Members  []team.Member // the members on this page of the list
	Active   int           // number of all active members
	Query    string        // words of a name or an e-mail address to search for
	Found    int
	Page     int // starts at 1
	Pages    int
	Names    map[int64]string // names of all users, by ID
	Limits   spending.Limits
	Invites  []signin.Invite
	NewLinks []NewLink      // links just made, shown only once
	Mail     bool           // an invitation of an address is also sent by mail
	Twins    [][]db.User    // groups of users whose e-mail addresses count as the same
	Invite   *InviteForm    // the form that invites people
	Facts    part.TeamFacts // on the page with the list of the sections
}

// NewZone returns the field with the team's time zone.
func NewZone(zone string) *input.Text {
	return &input.Text{
		Field: input.Field{
			Name: "zone", Label: "Team’s time zone", Value: zone, Focus: input.OnError,
			Hint: "Says when a day begins. Such as Europe/Berlin.",
		},
		Room: 100, Required: true, Others: templ.Attributes{"spellcheck": "false"},
		Missing: NoZone, Most: 100, Long: NoZone,
	}
}

// NoZone is the sentence about a time zone that there is not.
const NoZone = "No such time zone. Try one like Europe/Berlin."

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

// asksOf returns what the person asks for.
func (p MembersPage) asksOf(m team.Member, asks []spending.Ask) (of []OpenAsk) {
	for _, a := range asks {
		if a.UserID == m.ID {
			of = append(of, NewOpenAsk(a, m, p.Limits))
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
