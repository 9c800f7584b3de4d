package api

import "fmt"

// What the API says. What keeps a video from being made is said by the packages that the
// pages use as well.
const (
	notFound         = "There’s nothing here, or you may not see it."
	noToken          = "Send a token that works, as Authorization: Bearer dly_…"
	lookOnly         = "This token may not do that."
	tooLong          = "That’s too large."
	notJSON          = "Send JSON, as Content-Type: application/json."
	oddJSON          = "That isn’t valid JSON."
	oneValue         = "Send one JSON object and nothing after it."
	tooDeep          = "That’s nested too deeply."
	tooManyRequests  = "Too many requests. Try again in a moment."
	changedMeanwhile = "Something changed meanwhile. Try again."
	capReached       = "That’s more than this token may spend this month."
	tokenStopped     = "A video cost more than quoted. Let the token continue in Settings first."
	keyMissing       = "Send an Idempotency-Key, so that a repeat makes nothing twice."
	keyTooLong       = "The Idempotency-Key has to be 1 to 255 visible characters."
	keyReused        = "This Idempotency-Key was used for something else."
	stillRunning     = "The first request with this key is still running."
	oddCursor        = "This cursor belongs to other filters. Begin again without it."
	oddLimit         = "From 1 to 100."
	oddWait          = "From 0 to 25 seconds."
	tooManyWait      = "Five requests of this token are waiting already."
	oddCount         = "From 1 to 4 videos."
	noMaximum        = "Say how much it may cost at most."
	oddMaximum       = "An amount from 0 to 1,000,000, with three decimals at most."
	priceUnknown     = "The price isn’t known before it starts. Accept that with accept_unknown_price."
	priceMustAsk     = "Your team asks an admin before videos whose price isn’t known."
	notYetKept       = "The video isn’t here yet."
	notOwn           = "It’s somebody else’s."
	oddTitle         = "A title is one line of at most 120 letters."
	oddTags          = "Too many tags, or a tag that’s too long."
)

// twice says that a field is there twice.
func twice(name string) string { return fmt.Sprintf("The field %q is there twice.", name) }

// unknownField says that there is no such field.
func unknownField(name string) string { return fmt.Sprintf("There’s no field %q.", name) }

// oddField says that a field has another kind of value.
func oddField(name string) string {
	return fmt.Sprintf("The field %q has another kind of value.", name)
}

// tooDear says that the price is above what the request allows.
func tooDear(price string) string {
	return fmt.Sprintf("It costs %s credits, more than max_credits.", price)
}
