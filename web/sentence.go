package web

// The sentences about requests that failed.
const (
	broken      = "Something broke on our side. Nothing is lost; try again."
	changed     = "This changed just now. Reload to see it."
	notDone     = "That didn’t work. Go back and try again."
	notFound    = "We can’t find that page."
	storageDown = "Storage isn’t answering. Nothing is lost; try again in a minute."
	tooLong     = "That’s too much for this form. Go back and shorten it."
)
