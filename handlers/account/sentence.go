package account

import (
	"fmt"

	"dailies/db/format"
	"dailies/db/signin"
	"dailies/views/part"
)

// What pages say after something was done, or cannot be done yet. What stands beside a
// field is in views/account.
const (
	deleted         = "Deleted."
	passwordChanged = "Your password is changed, and every other browser is signed out."
	browserOut      = "Signed out there."
	browsersOut     = "Other browsers are signed out."
	themeSaved      = "Saved in this browser."

	noKeyToTest   = "No key to test yet."
	keyTestsOver  = "Too many tests. Try again in a minute."
	keyDeleted    = "Deleted here. Delete it at the service too."
	practiceKey   = "You have a new practice key."
	practiceNoKey = "Make a practice key first."
	practiceMore  = "1,000 practice credits added."

	ownLimitOff  = "Your own limit is off."
	askedAlready = "You’ve asked already. Wait for that answer first."
	asked        = "Asked. Your admins see it on every page."

	webhooksAreFull  = "Five webhooks at most. Delete one first."
	noEvents         = "Choose at least one."
	allStandard      = "Your webhooks have the standard format already."
	webhookOn        = "On again. What waited is on its way."
	beingSent        = "It’s being sent just now."
	sendingAgain     = "Sending again…"
	signingSecret    = "Saved. Copy the signing secret now."
	webhookTestsOver = "Too many tests. Try again in a moment."
	webhookTestsSent = "Several tests are on their way already."
	webhookArrived   = "The test arrived."
	webhookTesting   = "Sending a test…"

	tokensAreFull  = "You have 50 tokens. End one first."
	tokenEnded     = "Ended. It opens nothing any more."
	tokenContinues = "It may make videos again."
)

// passwordChangedWith says that a password was changed, and what has ended with that.
func passwordChangedWith(ended signin.Ended) string {
	if ended.Tokens+ended.Webhooks == 0 {
		return passwordChanged
	}
	return format.Sentences(passwordChanged, fmt.Sprintf("Ended too: tokens: %s, webhooks: %s.", part.Number(ended.Tokens), part.Number(ended.Webhooks)))
}

// webhookFailed says that a test did not arrive, and why.
func webhookFailed(why string) string { return format.Sentences("The test didn’t arrive.", why) }
