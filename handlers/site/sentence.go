package site

import (
	"fmt"
	"math"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/team"
)

// The sentences with which pages of all kinds answer.
const (
	// Closed tells people that their account is deactivated.
	Closed = "Your account is deactivated. Ask an admin."
	// Saved tells people that what they changed is stored.
	Saved = "Saved."
	// KeyUnusable tells people that a key was not saved because the service refuses it.
	KeyUnusable = "The video service refuses this key, so it isn’t saved. Copy it once more."

	watchOnly  = "You can watch here. Ask an admin if you want to make videos."
	adminsOnly = "Only admins can do this. Ask one of them."
	fileGone   = "This file is missing or damaged here. The page of its video says how to get it back."
	notSaved   = "We can’t save anything right now. Nothing is lost that was saved before; try again in a minute."
	noSpace    = "The server is out of space, so this wasn’t saved. Tell an admin, then try again."

	uploadsInLine = "You’re uploading many pictures already. Try again once they’re here."
	uploadTooSlow = "The upload was too slow and stopped. Go back and try again."
	uploadBroken  = "The upload broke off. Go back and try again."
)

// TestSentence returns the sentence about a key that was tested.
func (f KeyFinding) TestSentence() string {
	switch f {
	case KeyAccepted:
		return "It works."
	case KeyRefused:
		return "The video service refuses this key."
	case KeyUnsaid:
		return "The video service answered, but didn’t say if the key works."
	}
	return "We couldn’t reach the video service. Try again in a moment."
}

// SavedSentence returns the sentence about a key that was saved after this finding.
func (f KeyFinding) SavedSentence() string {
	switch f {
	case KeyAccepted:
		return "Saved. It works."
	case KeyUnsaid:
		return "Saved. The video service didn’t say if the key works."
	}
	return "Saved, but we couldn’t reach the video service. Test the key in a moment."
}

// Why nothing is sent to a webhook.
const (
	hookHeld    = "This webhook is of a restored copy. Nothing is sent to it until an admin confirms that, on the page Video service."
	hookEarlier = "This webhook has a format from before the standard one, and is off. Change its format first."
)

// tooManyTries says how long to wait before the next try.
func tooManyTries(wait time.Duration) string {
	switch seconds := wholeSeconds(wait); {
	case seconds == 1:
		return "Too many tries. Try again in a second."
	case wait > 2*time.Hour:
		return fmt.Sprintf("Too many tries. Try again in %d hours.", int(math.Ceil(wait.Hours())))
	case wait > 2*time.Minute:
		return fmt.Sprintf("Too many tries. Try again in %d minutes.", int(math.Ceil(wait.Minutes())))
	default:
		return fmt.Sprintf("Too many tries. Try again in %d seconds.", seconds)
	}
}

// tooBusy says when to try again, after so many people have signed in at once.
func tooBusy(seconds int) string {
	if seconds == 1 {
		return "Many people are signing in right now. Try again in a second."
	}
	return fmt.Sprintf("Many people are signing in right now. Try again in %d seconds.", seconds)
}

// otherAccount says why a form was not sent that a page of another account has shown.
func otherAccount(name string) string {
	return fmt.Sprintf(
		"You’re signed in as “%s” now, so nothing was sent. Sign in to your other account; your text is kept.",
		naming.Isolated(name),
	)
}

// TakenAddress returns the sentence about an email address that the account u has
// already, so that no other person can be given it.
func TakenAddress(address string, u db.User, now time.Time) string {
	name := naming.Isolated(u.Name)
	switch {
	case u.IsActive():
		return fmt.Sprintf("“%s” already has an account: %s.", address, name)
	case team.CanReturn(u, now):
		return fmt.Sprintf("“%s” has a deactivated account: %s. Bring it back on its page.", address, name)
	}
	return fmt.Sprintf("“%s” belongs to the closed account %s for now. Try again in an hour.", address, name)
}

// What pages say after something was done, or why it was not. What stands beside a field
// is in views/library.
const (
	noneChosen = "Choose one video or more first."
	formBroken = "Something’s missing in this form. Go back and try again."
)

func tooManyChosen(most int) string {
	return fmt.Sprintf("%d videos at once is the most. Choose fewer.", most)
}
