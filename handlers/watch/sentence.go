package watch

import (
	"fmt"

	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/web/videoapi"
)

// The reasons that are stored with videos, deliveries and mails, and that pages show.
const (
	noKeyToMake  = "There’s no key to make it with."
	noKeyToQuery = "There’s no key to ask about it."
	noKeyToLink  = "There’s no key to ask for a new link."
	answerLong   = "The service’s answer is too long to read. Ask it with the video ID."
	noReply      = "The video service hasn’t answered for two minutes."

	storageFull   = "Storage is full."
	storageSilent = "Storage isn’t answering."
	notSaved      = "Not saved yet. We’ll keep trying."

	notTold        = "The video is private or deleted now."
	notSaid        = "Its author has deleted it."
	secretUnread   = "We can’t read the signing secret. Make a new one."
	addressOdd     = "Its address can’t be used."
	addressPrivate = "Its address is private, and this server doesn’t call those."
	addressSilent  = "No answer within 10 seconds."
	addressAway    = "We couldn’t reach it."
	testPrompt     = "A test from Dailies"

	linkSealed = "Its link doesn’t open with this secret."
)

// modelGone says that the catalogue no longer has the model.
func modelGone(model string) string {
	return fmt.Sprintf("The model %s is no longer offered here.", model)
}

// limitReached says which limit kept a video from being sent, and by how much if its price
// is known.
func limitReached(r spending.Reached) string {
	left, cost := format.Number(r.Left), format.Number(r.Cost.Amount)
	switch token := naming.Isolated(r.Token); {
	case token != "" && r.Cost.Known:
		return fmt.Sprintf("It costs %s, and the token “%s” has %s left this month.", cost, token, left)
	case token != "":
		return fmt.Sprintf("The token “%s” has reached its limit.", token)
	case r.Whose == spending.Teams && r.Cost.Known:
		return fmt.Sprintf("It costs %s, and the team has %s left this month.", cost, left)
	case r.Whose == spending.Teams:
		return "The team has reached its limit."
	case r.Cost.Known:
		return fmt.Sprintf("It costs %s, and your limit leaves %s this month.", cost, left)
	}
	return "You’ve reached your limit."
}

// answeredWith says with which status a webhook refused a notice.
func answeredWith(status int) string { return fmt.Sprintf("It answered with HTTP %d.", status) }

// querySentence describes a failed query in plain words for the user.
func querySentence(e *videoapi.Error) string {
	if e.Kind != videoapi.Refused && e.Kind != videoapi.NoCredits {
		return sentence(e)
	}
	return format.Sentences("The video service couldn’t say how it’s going.", quotation(e))
}

// sentence describes a failed call in plain words for the user, and quotes the
// service's message if there is one.
func sentence(e *videoapi.Error) string {
	switch e.Kind {
	case videoapi.KeyRefused:
		return "The video service refuses the key."
	case videoapi.NoCredits:
		return format.Sentences("Not enough credits.", quotation(e))
	case videoapi.Busy:
		return "The video service is busy."
	case videoapi.Transport:
		if e.Unsent {
			return "The video service can’t be reached."
		}
		return "The video service gave no clear answer."
	case videoapi.TooLong:
		return "The video service’s answer is too long to read."
	case videoapi.UnknownTask:
		return "The video service doesn’t know this video."
	case videoapi.NoPermission:
		return "The video service says that this video belongs to another key."
	}
	return format.Sentences("The video service didn’t take it.", quotation(e))
}

// quotation returns the sentence with the service's message, empty if there is none.
func quotation(e *videoapi.Error) string {
	if e.Message == "" {
		return ""
	}
	return fmt.Sprintf("It said: %s", e.Message)
}
