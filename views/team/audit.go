package team

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/views/input"
	"dailies/views/part"
)

// An AuditPage is the audit log, which says who changed what. Admins only.
type AuditPage struct {
	Entries []audit.Entry
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

	Brief bool // only the newest entries are listed, without a way to others

	Days *input.Text // for how many days entries are kept
}

// NewAuditDays returns the field with the number of days for which entries are kept.
func NewAuditDays(days int) *input.Text {
	return &input.Text{
		Field: input.Field{
			Name: "days", Label: "Keep for", Hint: "Days, from 30 to 3650", Value: strconv.Itoa(days), Focus: input.OnError,
			Rules: input.Rules{
				input.Valid(fmt.Sprintf("required,between=%d %d", audit.MinDays, audit.MaxDays), "A number from 30 to 3650").OnSubmit(),
			},
		},
		Keyboard: "numeric", MaxLength: 20,
	}
}

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
		return "Nobody with this name or address"
	case p.Found > len(p.Fitting):
		return fmt.Sprintf("%s people fit. Type more of the name, or choose:", part.Number(p.Found))
	}
	return "Several people fit. Choose one:"
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
func Actor(e audit.Entry) string {
	switch name := naming.Clean(e.Actor.Name); {
	case name != "" || e.Actor.Kind() == audit.ByAccount:
		return name
	case e.Actor.Kind() == audit.ByNobody:
		return "Not signed in"
	}
	return "Dailies"
}

// nounNames holds the labels of the kinds of entries.
var nounNames = map[string]string{
	"session": "Sign-in", "password": "Passwords", "member": "People", "invite": "Invitations", "identity": "Connected accounts",
	"passkey": "Passkeys",
	"codes":   "Second step", "key": "Keys", "service": "Video service", "limit": "Limits", "webhook": "Webhooks", "notice": "Emails",
	"share": "Links", "note": "Notes", "guest": "Guests", "take": "Takes", "program": "Programs", "setting": "Settings",
	"data": "Exports and restores",
}

func nounName(noun string) string { return cmp.Or(nounNames[noun], noun) }

// actionNames describes each action.
var actionNames = map[audit.Action]string{
	audit.SignedIn: "signed in", audit.SignInRefused: "was not let in", audit.SessionEnded: "signed a browser out",
	audit.IdentityLinked: "connected an account", audit.IdentityUnlinked: "disconnected an account",
	audit.IdentityAddress: "has another email address there",
	audit.PasskeyAdded:    "added a passkey", audit.PasskeyRenamed: "renamed a passkey", audit.PasskeyDeleted: "deleted a passkey",
	audit.CodesOn: "turned the second step on", audit.CodesOff: "turned the second step off", audit.CodesRenewed: "made new recovery codes",
	audit.CodesUsed: "used a recovery code", audit.CodesGuessed: "entered many wrong codes", audit.SecondStepDropped: "removed a second step",
	audit.MemberJoined: "joined", audit.MemberAdded: "added an account", audit.MemberRenamed: "changed their name",
	audit.MemberRole: "changed a role", audit.MemberDeactivated: "deactivated an account", audit.MemberActivated: "brought an account back",
	audit.MemberReleased: "freed an email address",
	audit.MemberLeft:     "handed over a person’s things", audit.PasswordReset: "made a password link",
	audit.PasswordChanged: "set a new password",
	audit.InviteMade:      "invited a person", audit.InviteRevoked: "turned off an invitation",
	audit.KeySaved: "saved a key", audit.KeyDeleted: "deleted a key", audit.KeyAssigned: "assigned a key",
	audit.KeyRule: "changed the rule for keys", audit.KeyFreed: "freed a key", audit.ServiceChanged: "changed the video service",
	audit.LimitChanged: "changed a limit", audit.LimitAsked: "asked for more", audit.LimitAnswer: "answered a request",
	audit.Overcharged:  "cost more than expected",
	audit.WebhookSaved: "saved a webhook", audit.WebhookDeleted: "deleted a webhook", audit.NoticesChosen: "chose email notifications",
	audit.ShareMade: "made a link", audit.ShareChanged: "changed a link", audit.ShareRevoked: "turned off a link",
	audit.ShareBack: "brought back a link",
	audit.CastMade:  "added to the cast", audit.CastChanged: "changed in the cast", audit.CastDeleted: "deleted from the cast",
	audit.CastRestored: "restored to the cast",
	audit.NoteDeleted:  "deleted a note", audit.GuestRemoved: "removed a guest",
	audit.Stacked: "put into a stack of takes", audit.Unstacked: "took out of a stack of takes",
	audit.ProgramMade: "made a token", audit.ProgramEnded: "ended a token", audit.ProgramStopped: "stopped a token",
	audit.ProgramContinued: "let a token continue",
	audit.SettingChanged:   "changed a setting", audit.Restored: "restored", audit.Exported: "exported",
}

// actionName describes what was done.
func actionName(e audit.Entry) string { return cmp.Or(actionNames[e.Action], string(e.Action)) }

// subjectName returns the name of the user whom the entry is about, unless that is the
// actor.
func subjectName(e audit.Entry) string {
	if e.UserID == e.Actor.UserID {
		return ""
	}
	return e.User
}

// dash returns a dash for an empty value.
func dash(s string) string { return cmp.Or(s, "–") }
