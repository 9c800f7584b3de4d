// Package audit defines the record of who changed what.
package audit

import (
	"context"
	"strings"
	"time"
)

// An Entry of the audit says who changed what. It contains no prompt, no key and no
// token. Names are as they were at the time.
type Entry struct {
	ID     int64
	At     time.Time
	Actor  Actor
	Action Action
	UserID int64  // the person that the change is about; 0 for nobody
	User   string // their name then

	ActorNow, UserNow Account // the accounts as they are now; zero if there is none
	What              string  // the thing that was changed, as the pages call it
	Before            string  // the value before and after the change; empty if there is nothing to say
	After             string
}

// An Account tells people apart who may have the same name.
type Account struct{ Name, Email string }

// An ActorKind says what an actor is, however it is called.
type ActorKind string

// The kinds of actors.
const (
	ByAccount ActorKind = "account"
	ByCommand ActorKind = "command line"
	ByProgram ActorKind = "program"       // Dailies itself
	ByNobody  ActorKind = "not signed in" // a browser without a session
)

// Names of commands as actors begin with commandName.
const (
	CommandLine     = "the command line"
	PasswordCommand = "the command dailies password"
	UserCommand     = "the command dailies user"

	commandName = "the command"
)

// Kind returns what the actor is. Only accounts have names that people choose.
func (a Actor) Kind() ActorKind {
	switch {
	case a.UserID != 0:
		return ByAccount
	case strings.HasPrefix(a.Name, commandName):
		return ByCommand
	case a.Name == "" && a.Address != "":
		return ByNobody
	}
	return ByProgram
}

// An Actor says who does something, and from where.
type Actor struct {
	UserID  int64  // 0 if nobody is signed in
	Name    string // of the person, or of the command
	Address string // the network address that the request came from
}

type actorKey struct{}

// Acting returns a context whose changes the audit attributes to the actor.
func Acting(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorIn returns the actor of the context; the zero Actor is the program itself.
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

	IdentityLinked    Action = "identity.link"
	IdentityUnlinked  Action = "identity.unlink"
	IdentityAddress   Action = "identity.address"
	PasskeyAdded      Action = "passkey.add"
	PasskeyRenamed    Action = "passkey.rename"
	PasskeyDeleted    Action = "passkey.delete"
	CodesOn           Action = "codes.on"
	CodesOff          Action = "codes.off"
	CodesRenewed      Action = "codes.renew"
	CodesUsed         Action = "codes.use"
	CodesGuessed      Action = "codes.guess"
	SecondStepDropped Action = "codes.drop"

	MemberJoined      Action = "member.join"
	MemberAdded       Action = "member.add"
	MemberRenamed     Action = "member.rename"
	MemberRole        Action = "member.role"
	MemberDeactivated Action = "member.deactivate"
	MemberActivated   Action = "member.activate"
	MemberReleased    Action = "member.release"
	MemberLeft        Action = "member.hand-over"
	PasswordReset     Action = "password.link"
	PasswordChanged   Action = "password.change"
	InviteMade        Action = "invite.make"
	InviteRevoked     Action = "invite.revoke"

	KeySaved       Action = "key.save"
	KeyDeleted     Action = "key.delete"
	KeyAssigned    Action = "key.assign"
	KeyRule        Action = "key.rule"
	ServiceChanged Action = "service.change"
	KeyFreed       Action = "key.free"

	LimitChanged Action = "limit.change"
	LimitAsked   Action = "limit.ask"
	LimitAnswer  Action = "limit.answer"
	Overcharged  Action = "limit.overcharge"

	WebhookSaved   Action = "webhook.save"
	WebhookDeleted Action = "webhook.delete"
	NoticesChosen  Action = "notice.choose"

	ShareMade    Action = "share.make"
	ShareChanged Action = "share.change"
	ShareRevoked Action = "share.revoke"
	ShareBack    Action = "share.back"
	NoteDeleted  Action = "note.delete"
	Stacked      Action = "take.add"
	Unstacked    Action = "take.remove"
	GuestRemoved Action = "guest.remove"

	CastMade     Action = "cast.make"
	CastChanged  Action = "cast.change"
	CastDeleted  Action = "cast.delete"
	CastRestored Action = "cast.restore"

	ProgramMade      Action = "program.make"
	ProgramEnded     Action = "program.end"
	ProgramStopped   Action = "program.stop"
	ProgramContinued Action = "program.continue"

	SettingChanged Action = "setting.change"
	Restored       Action = "data.restore"
	Exported       Action = "data.export"
)

// PasswordAlone says, in the audit, that somebody set up the required second step
// for the first time, and thus with nothing but the password.
const PasswordAlone = "with the password alone, because the team requires a second step"

// actions lists all actions.
var actions = []Action{
	SignedIn, SignInRefused, SessionEnded,
	IdentityLinked, IdentityUnlinked, IdentityAddress, PasskeyAdded, PasskeyRenamed, PasskeyDeleted, CodesOn,
	CodesOff, CodesRenewed, CodesUsed, CodesGuessed, SecondStepDropped,
	MemberJoined, MemberAdded, MemberRenamed, MemberRole, MemberDeactivated, MemberActivated, MemberReleased,
	MemberLeft, PasswordReset, PasswordChanged, InviteMade, InviteRevoked,
	KeySaved, KeyDeleted, KeyAssigned, KeyRule, KeyFreed, ServiceChanged, LimitChanged, LimitAsked, LimitAnswer, Overcharged,
	WebhookSaved, WebhookDeleted, NoticesChosen, ShareMade, ShareChanged, ShareRevoked, ShareBack, NoteDeleted, GuestRemoved, CastMade,
	CastChanged, CastDeleted, CastRestored, Stacked, Unstacked, ProgramMade, ProgramEnded, ProgramStopped,
	ProgramContinued, SettingChanged, Restored, Exported,
}

// Actions returns the actions about the noun.
func Actions(noun string) (about []Action) {
	for _, a := range actions {
		if before, _, _ := strings.Cut(string(a), "."); before == noun {
			about = append(about, a)
		}
	}
	return about
}

// A Search selects entries of the audit. Zero fields do not restrict it.
type Search struct {
	ActorID int64
	UserID  int64
	Person  int64  // who acted, or whom the entry is about
	Noun    string // the part of the action before the dot
	Action  Action
	From    time.Time
	Until   time.Time // exclusive
	Before  int64     // only entries with a smaller ID
	Limit   int
}

// Nouns lists what actions are about: the parts of their names before the dot.
func Nouns() []string {
	return []string{"session", "password", "member", "invite", "identity", "passkey", "codes", "key", "service",
		"limit", "webhook", "notice", "share", "note", "guest", "cast", "take", "program", "setting", "data"}
}

// The number of days for which entries of the audit are kept.
const (
	Days    = 400 // unless an admin chooses otherwise
	MinDays = 30
	MaxDays = 3650
)
