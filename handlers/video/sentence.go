package video

import (
	"dailies/db/format"
)

const (
	noteDone  = "Note done."
	notesSeen = "All seen."

	takeShown = "The client sees it now."
	noTake    = "That’s not a take that this link can show."
	linkOff   = "Link turned off."
	linkBack  = "Link works again."
	guestGone = "Guest removed."

	takeMoved    = "It’s a take of that video now."
	takeRemoved  = "It’s no longer a take of others."
	noTitle      = "Type a title first."
	switchedOver = "The team switched video services"
	notMade      = "Not made. Nothing was charged."
	leftAsIs     = "Left as it is. If it’s made after all, it appears here."
)

// notMadeAll says that videos are not made which were not sent before the team changed the
// video service.
func notMadeAll(n int) string {
	return format.Plural(n, notMade, "%s videos aren’t made. Nothing was charged for them.")
}
