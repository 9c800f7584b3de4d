// Package team holds how a team governs itself: who changed what, and what may be
// spent.
package team

import (
	"context"
	"strings"
	"time"
)

// An Entry of the audit says who changed what. It holds no prompt, no key and no
// token, and the names as they were then.
type Entry struct {
	ID     int64
	At     time.Time
	Actor  Actor
	Action Action
	UserID int64  // whom it is about; 0 for nobody
	User   string // their name
	What   string // the thing that was changed, as people call it
	Before string // how it was, and how it is now; empty where there is nothing to say
	After  string
}

// An Actor is who does something.
type Actor struct {
	UserID  int64  // 0 for nobody who is signed in
	Name    string // of the person, or of the command
	Address string // the network address that the request came from
}

type actorKey struct{}

// Acting returns a context in which the actor does everything.
func Acting(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorIn returns who acts in the context; the zero Actor is the program itself.
func ActorIn(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// An Action is a kind of change, such as "member.role": a noun and a verb.
type Action string

// The actions that an entry may have.
const (
	SignedIn      Action = "session.begin"
	SignInRefused Action = "session.refuse"
	SessionEnded  Action = "session.end"

	IdentityLinked   Action = "identity.link"
	IdentityUnlinked Action = "identity.unlink"
	PasskeyAdded     Action = "passkey.add"
	PasskeyRenamed   Action = "passkey.rename"
	PasskeyDeleted   Action = "passkey.delete"
	CodesOn          Action = "codes.on"
	CodesOff         Action = "codes.off"
	CodesRenewed     Action = "codes.renew"
	CodesUsed        Action = "codes.use"
	FactorsDropped   Action = "codes.drop"

	MemberJoined      Action = "member.join"
	MemberRole        Action = "member.role"
	MemberDeactivated Action = "member.deactivate"
	MemberActivated   Action = "member.activate"
	MemberReleased    Action = "member.release"
	MemberLeft        Action = "member.hand-over"
	PasswordReset     Action = "password.link"
	PasswordChanged   Action = "password.change"
	InviteMade        Action = "invite.make"
	InviteRevoked     Action = "invite.revoke"

	KeySaved    Action = "key.save"
	KeyDeleted  Action = "key.delete"
	KeyAssigned Action = "key.assign"
	KeyRule     Action = "key.rule"

	LimitChanged Action = "limit.change"
	LimitAsked   Action = "limit.ask"
	LimitAnswer  Action = "limit.answer"
	Overcharged  Action = "limit.overcharge"

	ShareMade    Action = "share.make"
	ShareRevoked Action = "share.revoke"

	SettingChanged Action = "setting.change"
	Restored       Action = "data.restore"
	Exported       Action = "data.export"
)

// PasswordAlone is how a first second factor was set up where the team requires one: by
// whoever gave the password first.
const PasswordAlone = "with the password alone, because the team requires a second step"

// actions are all of them.
var actions = []Action{
	SignedIn, SignInRefused, SessionEnded,
	IdentityLinked, IdentityUnlinked, PasskeyAdded, PasskeyRenamed, PasskeyDeleted, CodesOn, CodesOff, CodesRenewed, CodesUsed, FactorsDropped,
	MemberJoined, MemberRole, MemberDeactivated, MemberActivated, MemberReleased, MemberLeft, PasswordReset, PasswordChanged, InviteMade, InviteRevoked,
	KeySaved, KeyDeleted, KeyAssigned, KeyRule, LimitChanged, LimitAsked, LimitAnswer, Overcharged, ShareMade, ShareRevoked, SettingChanged, Restored, Exported,
}

// Actions returns those about the noun.
func Actions(noun string) (about []Action) {
	for _, a := range actions {
		if before, _, _ := strings.Cut(string(a), "."); before == noun {
			about = append(about, a)
		}
	}
	return about
}

// A Search says which entries of the audit are asked for. What is empty does not
// matter.
type Search struct {
	ActorID int64
	UserID  int64
	Person  int64  // who acts, or whom it is about
	Noun    string // the part of the action before the dot
	Action  Action
	From    time.Time
	Until   time.Time // up to, but not at it
	Before  int64     // those with a smaller id
	Limit   int
}

// Nouns lists what the actions are about: their parts before the dot.
func Nouns() []string {
	return []string{"session", "password", "member", "invite", "identity", "passkey", "codes", "key", "limit", "share", "setting", "data"}
}

// How many days the entries of the audit are kept.
const (
	AuditDays    = 400 // unless an admin chooses otherwise
	MinAuditDays = 30
	MaxAuditDays = 3650
)
