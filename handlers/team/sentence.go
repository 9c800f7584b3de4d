package team

import (
	"fmt"

	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/signin"
	"dailies/views/part"
)

// What pages say after something was done, or was no longer to be done. What stands beside
// a field is in views/team.
const (
	// connectedKey is the name of the key with which a service was connected, and
	// practiceAccount that of the team's account in practice mode.
	connectedKey    = "Video service"
	practiceAccount = "Team"

	auditShortened = "Saved. Older entries go within minutes."
	announced      = "Everyone sees it now."
	removed        = "Removed."
	zoneChanged    = "Time zone changed."
	limitsChanged  = "Limits changed."

	linkOver    = "This link was used or turned off already."
	linkOff     = "The link is off."
	linkMailed  = "Link sent by email."
	passwordOff = "Passwords are off, so a link wouldn’t open."

	keyAdded       = "Key added."
	keyReplaced    = "Replaced. New videos use it."
	keyUnreadable  = "We can’t read this key since the restore. Paste it again."
	keyForEveryone = "Everyone without another key uses it now."
	keyForNobody   = "No key is for everyone now."
	ownKeysAllowed = "Own keys are allowed."
	teamKeysOnly   = "Everyone uses the team’s keys now."

	keyFreed      = "The key is free. The interrupted video’s maker is asked what to do."
	keyFreedAlone = "The key is free. We’re still waiting for the other video."
	keyIsFree     = "The key is free already."
	keySending    = "The video is being sent right now. The key is free once that’s done."

	deactivated        = "Deactivated."
	deactivatedAlready = "Deactivated already."
	deactivatedYet     = "Deactivated. Bring the account back first."
	activeAlready      = "The account is active already."
	broughtBack        = "Brought back. What was handed over stays where it is."
	noAdminAnyMore     = "You’re not an admin any more."
	ownBrowsersOut     = "Your other browsers are signed out."
	noSecondStep       = "There’s no second step to remove."
	secondStepRemoved  = "Removed. They’re signed out everywhere, and sign in with a password."
)

func invitationsSent(n int) string {
	return format.Plural(n, "%s invitation sent.", "%s invitations sent.")
}

func keyDeleted(name string) string {
	return fmt.Sprintf("“%s” is deleted here. Delete it at the service too.", naming.Isolated(name))
}

// keyTested says what a test of the key has found.
func keyTested(name, found string) string {
	return fmt.Sprintf("“%s”: %s", naming.Isolated(name), found)
}

func keyAssigned(person string) string {
	return fmt.Sprintf("Key of %s saved.", naming.Isolated(person))
}

func personDeactivated(name string) string {
	return fmt.Sprintf("%s is deactivated already.", naming.Isolated(name))
}

// withPrograms adds to the sentence what has ended with somebody's sessions.
func withPrograms(sentence string, ended signin.Ended) string {
	if ended.Tokens+ended.Webhooks == 0 {
		return sentence
	}
	tokens, webhooks := part.Number(ended.Tokens), part.Number(ended.Webhooks)
	return format.Sentences(sentence, fmt.Sprintf("Ended too: tokens: %s, webhooks: %s.", tokens, webhooks))
}

func browsersOut(name string) string {
	return fmt.Sprintf("%s is signed out everywhere.", naming.Isolated(name))
}

func limitSet(limit string) string { return fmt.Sprintf("Limit: %s.", limit) }

func answered(name string) string {
	return fmt.Sprintf("%s will see your answer.", naming.Isolated(name))
}

func testMailSent(address string) string {
	return fmt.Sprintf("A test is on its way to %s.", address)
}
