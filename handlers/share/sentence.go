package share

const (
	takeShown = "The client sees it now."
	noTake    = "That’s not a take that this link can show."

	linkReady = "Your link is ready."
	linkOff   = "Link turned off."
	linkBack  = "Link works again."
	guestGone = "Guest removed."
)
