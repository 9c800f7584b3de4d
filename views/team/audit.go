package team

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
)

// An AuditPage is the audit log, which says who changed what. Admins only.
type AuditPage struct {
	Entries []team.Entry
	Older   int64     // ID of the last entry if there are older ones, else 0
	Users   []db.User // users to choose from; empty if there are many
	Many    bool
	Zone    *time.Location

	// The search. Empty values match everything.
	Person      int64
	Who         string    // words of a name or an e-mail address, if there are many users
	Found       int       // number of users whom Who matches, unless it is one
	Fitting     []db.User // some of these users
	Noun        string
	From, Until string // days, such as 2026-11-23
	Before      int64  // entries before this ID are listed; 0 on the first page

	Days *input.Text // for how many days entries are kept
}

// NewAuditDays returns the field with the number of days for which entries are kept.
func NewAuditDays(days int) *input.Text {
	return &input.Text{
		Field:    input.Field{Name: "days", Label: "Days", Hint: "From 30 to 3650. Older entries are deleted.", Value: strconv.Itoa(days), Focus: input.OnError},
		Keyboard: "numeric", Room: 20,
	}
}

// WrongDays is the sentence about what is no number of days.
const WrongDays = "Please give a number of days from 30 to 3650."

// Query returns the search as the query of a URL, without the position. Before, if not
// empty, is the ID before which entries are listed.
func (p AuditPage) Query(before string) url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			q.Set(name, value)
		}
	}
	if p.Person > 0 {
		set("person", strconv.FormatInt(p.Person, 10))
	} else {
		set("who", p.Who)
	}
	set("noun", p.Noun)
	set("from", p.From)
	set("until", p.Until)
	set("before", before)
	return q
}

// fits describes the users whom the words match, if that is not a single one.
func (p AuditPage) fits() string {
	switch {
	case p.Person >= 0:
		return ""
	case p.Found == 0:
		return "Nobody has this name or address."
	case p.Found > len(p.Fitting):
		return fmt.Sprintf("%s people fit. Please type more of the name, or choose one of these:", part.Number(p.Found))
	}
	return "Several people fit. Please choose one:"
}

// of returns the path of the page with the user selected instead of the words.
func (p AuditPage) of(u db.User) string {
	p.Person = u.ID
	return p.path("/audit", "")
}

// path returns the path with the search as its query.
func (p AuditPage) path(path, before string) string {
	if q := p.Query(before).Encode(); q != "" {
		return path + "?" + q
	}
	return path
}

// isFiltered reports whether there is a search.
func (p AuditPage) isFiltered() bool { return len(p.Query("")) > 0 }

// when formats a time in the team's time zone.
func (p AuditPage) when(t time.Time) string { return t.In(p.Zone).Format("2 Jan 2006, 15:04:05") }

// Actor returns the name of the actor at the time.
func Actor(e team.Entry) string {
	switch name := db.CleanName(e.Actor.Name); {
	case name != "" || e.Actor.Kind() == team.ByAccount:
		return name
	case e.Actor.Kind() == team.ByNobody:
		return "Somebody"
	}
	return "Dailies"
}

// nounNames holds the labels of the kinds of entries.
var nounNames = map[string]string{
	"session": "Signing in", "password": "Passwords", "member": "Members", "invite": "Invitations", "identity": "Connected accounts", "passkey": "Passkeys",
	"codes": "One-time codes", "key": "Keys", "limit": "Limits", "webhook": "Webhooks", "notice": "Mails", "share": "Links", "setting": "Settings", "data": "Exports and restores",
}

func nounName(noun string) string { return cmp.Or(nounNames[noun], noun) }

// actionNames describes each action.
var actionNames = map[team.Action]string{
	team.SignedIn: "signed in", team.SignInRefused: "was not let in", team.SessionEnded: "signed a browser out",
	team.IdentityLinked: "connected an account", team.IdentityUnlinked: "disconnected an account", team.IdentityAddress: "has another e-mail address there",
	team.PasskeyAdded: "added a passkey", team.PasskeyRenamed: "renamed a passkey", team.PasskeyDeleted: "deleted a passkey",
	team.CodesOn: "turned one-time codes on", team.CodesOff: "turned one-time codes off", team.CodesRenewed: "made new recovery codes",
	team.CodesUsed: "used a recovery code", team.CodesGuessed: "gave many wrong codes", team.FactorsDropped: "removed a second step",
	team.MemberJoined: "joined", team.MemberAdded: "added an account", team.MemberRenamed: "changed their name", team.MemberRole: "changed a role", team.MemberDeactivated: "deactivated an account", team.MemberActivated: "activated an account again",
	team.MemberReleased: "gave an e-mail address free",
	team.MemberLeft:     "handed over what somebody has", team.PasswordReset: "made a link for a new password", team.PasswordChanged: "set a new password",
	team.InviteMade: "invited somebody", team.InviteRevoked: "turned off an invitation",
	team.KeySaved: "saved a key", team.KeyDeleted: "deleted a key", team.KeyAssigned: "assigned a key", team.KeyRule: "changed the rule for keys", team.KeyFreed: "freed a key",
	team.LimitChanged: "changed a limit", team.LimitAsked: "asked for more", team.LimitAnswer: "answered a request", team.Overcharged: "cost more than expected",
	team.WebhookSaved: "saved a webhook", team.WebhookDeleted: "deleted a webhook", team.NoticesChosen: "chose what to be told by mail",
	team.ShareMade: "made a link", team.ShareRevoked: "turned off a link",
	team.SettingChanged: "changed a setting", team.Restored: "restored", team.Exported: "exported",
}

// actionName describes what was done.
func actionName(e team.Entry) string { return cmp.Or(actionNames[e.Action], string(e.Action)) }

// subjectName returns the name of the user whom the entry is about, unless that is the
// actor.
func subjectName(e team.Entry) string {
	if e.UserID == e.Actor.UserID {
		return ""
	}
	return e.User
}

// dash returns a dash for an empty value.
func dash(s string) string { return cmp.Or(s, "–") }
