package program

import (
	"dailies/db/format"
)

// What pages say after something was done, or cannot be done yet. What stands beside a
// field is in views/account.
const (
	deleted = "Deleted."

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

// webhookFailed says that a test did not arrive, and why.
func webhookFailed(why string) string { return format.Sentences("The test didn’t arrive.", why) }
