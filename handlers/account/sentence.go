package account

import (
	"fmt"

	"dailies/db/format"
	"dailies/db/signin"
	"dailies/views/part"
)

const (
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
)

// passwordChangedWith says that a password was changed, and what has ended with that.
func passwordChangedWith(ended signin.Ended) string {
	if ended.Tokens+ended.Webhooks == 0 {
		return passwordChanged
	}
	return format.Sentences(passwordChanged,
		fmt.Sprintf("Ended too: tokens: %s, webhooks: %s.", part.Number(ended.Tokens), part.Number(ended.Webhooks)))
}
