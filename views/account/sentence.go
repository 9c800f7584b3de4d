package account

import (
	"fmt"

	"dailies/db/naming"
	"dailies/db/signin"
)

// The sentences with which the pages about signing in answer.
const (
	WrongSignIn     = "Wrong email or password"
	WrongCode       = "That code doesn’t fit. Use the one your app shows now."
	WrongFirstCode  = "That code doesn’t fit. If it keeps failing, check your phone’s clock."
	CodeSetUpOver   = "That took too long, so here’s a new key. Add it to your app again."
	CodesOff        = "The second step is off."
	PasswordsAreOff = "Passwords are turned off. Use company sign-in."
	PasswordIsSet   = "Password set. Sign in with it."
	SignedInHere    = "You’re signed in."
	TurnPasswordsOn = "You’re signed in. You can turn passwords on here."
	AccountIsReady  = "Your account is ready. Sign in with it."

	PasskeyNotAdded = "The passkey wasn’t added. Try again."
	PasskeyIsHere   = "You already have this passkey."
	PasskeysAreFull = "You have as many passkeys as you can. Delete one first."
	PasskeyAdded    = "Passkey added. You can sign in with it now."
	PasskeyRenamed  = "Saved."
	PasskeyDeleted  = "Deleted, and browsers that used one are signed out. Delete it on your device, too."
	WrongPasskey    = "That passkey doesn’t fit. Sign in with your password."
	RestoredPasskey = "We restored a backup. Sign in with your password once, then with this passkey."

	CodesGuessed = "Eight wrong codes were tried with your password. Wasn’t you? Change it in Settings."

	Connected      = "Connected. You can sign in with it now."
	Disconnected   = "Disconnected. Other browsers that used it are signed out."
	StaysConnected = "This stays connected: it’s your only way to sign in."
	LastAdmin      = "Your company groups no longer make you an admin. You stay one until another is named in Team."
	ProviderBroken = "That sign-in took too long, or was used already. Start again."
	UnlinkedAndOff = "You already have an account. Ask an admin to turn passwords on, then connect it in Settings."
)

// The sentences about the pages of a person's settings.
const (
	ThemeUnknown      = "Choose one."
	OwnKeyForbidden   = "Your team uses team keys only."
	OwnKeyUnreadable  = "We can’t read your key since the restore. Paste it again."
	TeamKeyUnreadable = "We can’t read the team key since the restore. An admin has to paste it again."
)

// ProviderDown says that the company's sign-in cannot be reached.
func ProviderDown(name string) string {
	return fmt.Sprintf("%s isn’t answering. Try again in a minute.", naming.Isolated(name))
}

// ProviderDenied says that the person, or the company's sign-in, said no.
func ProviderDenied(name string) string {
	return fmt.Sprintf("%s didn’t let you in. Try again.", naming.Isolated(name))
}

// providerRefusals say why somebody whom the company's sign-in has named is not let in.
var providerRefusals = map[signin.Refusal]string{
	signin.RefusedDeactivated: "Your account is deactivated. Ask an admin.",
	signin.RefusedUnverified:  "Your email address isn’t confirmed there. Confirm it, or ask an admin.",
	signin.RefusedNobody:      "There’s no account for you here. Ask an admin.",
	signin.RefusedUninvited:   "There’s no account for you here, and no invitation. Ask an admin.",
	signin.RefusedDomain:      "Your email address isn’t one of the team’s. Ask an admin.",
	signin.RefusedRole:        "Your company account has no role in this team. Ask an admin.",
	signin.RefusedUnlinked:    "You already have an account. Sign in with your password, then connect it in Settings.",
	signin.RefusedTaken:       "That company account belongs to another person here.",
}

// ProviderRefused returns the sentence for the refusal.
func ProviderRefused(why signin.Refusal) string { return providerRefusals[why] }
