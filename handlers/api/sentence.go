package api

import "fmt"

// What the API says. What keeps a video from being made is said by the packages that the
// pages use as well.
const (
	notFound           = "There’s nothing here, or you may not see it."
	noToken            = "Send a token that works, as Authorization: Bearer dly_…"
	lookOnly           = "This token may not do that."
	otherMode          = "It has to be the same as scene."
	makersOnly         = "Only people who make videos have recipes."
	oddFilter          = "There’s no such value."
	tooLong            = "That’s too large."
	notJSON            = "Send JSON, as Content-Type: application/json."
	oddText            = "Text can’t contain the character U+0000."
	oddJSON            = "That isn’t valid JSON."
	oneValue           = "Send one JSON object and nothing after it."
	tooDeep            = "That’s nested too deeply."
	tooManyRequests    = "Too many requests. Try again in a moment."
	changedMeanwhile   = "Something changed meanwhile. Try again."
	tokenStopped       = "A video cost more than quoted. Let the token continue in Settings first."
	keyMissing         = "Send an Idempotency-Key, so that a repeat makes nothing twice."
	keyTooLong         = "The Idempotency-Key has to be 1 to 255 visible characters."
	keyReused          = "This Idempotency-Key was used for something else."
	stillRunning       = "The first request with this key is still running."
	oddCursor          = "This cursor belongs to other filters. Begin again without it."
	oddLimit           = "From 1 to 100."
	oddWait            = "From 0 to 25 seconds."
	tooManyWait        = "Five requests of this token are waiting already."
	oddCount           = "From 1 to 4 videos."
	noMaximum          = "Say how much it may cost at most."
	oddMaximum         = "An amount from 0 to 1,000,000, with three decimals at most."
	priceUnknown       = "The price isn’t known before it starts. Accept that with accept_unknown_price."
	nothingToHold      = "The price isn’t known before it starts. Say in max_credits how much it may cost."
	priceNeedsApproval = "Your team asks an admin before videos whose price isn’t known."
	notPicture         = "Send a form with the file, the picture itself, or JSON with its address."
	noFile             = "Send the file in the field picture."
	notYetKept         = "The video isn’t here yet."
	notOwn             = "It’s somebody else’s."
	notOver            = "It isn’t done yet, so it stays."
	oddTypes           = "Choose from the types that there are, each once."
	adminsOnly         = "Only admins may do that for the team."
	tooManyWebhooks    = "Five webhooks at most. Delete one first."
	oddTitle           = "A title is one line of at most 120 letters."
	oddTags            = "Too many tags, or a tag that’s too long."
	leftCast           = "The prompt has the handle of a deleted cast member. Take it out, or bring the cast member back."
)

// What the dialect of the service says, in the words that such services use: programs look
// for them.
const (
	signIn        = "no auth, please sign in"
	noTask        = "task not found"
	noCall        = "not found"
	notPost       = "the method must be POST"
	broken        = "internal error, please try again later"
	tooFew        = "insufficient credits"
	oddScene      = "invalid scene"
	taskIDMissing = "invalid params: taskId is missing"
	oddMediaType  = "invalid params: mediaType must be \"video\""
	oddMode       = "invalid params: options.mode must be the same as scene"
	twoCameras    = "invalid params: options.camera_fixed and options.fixed_lens mean the same and must not differ"
	twoStarts     = "invalid params: options.image_url must be the same as options.image_input[0]"
	twoEnds       = "invalid params: options.end_image_url must be the same as options.image_input[1]"
	onlyEnd       = "invalid params: options.end_image_url needs options.image_url"
	emptyPicture  = "invalid params: options.image_input has an empty address"
	oddDuration   = "invalid params: options.duration must be a whole number"
	oddSeed       = "invalid params: options.seed must be a whole number"
	notKept       = "the video was made, but its file could not be kept"
	notUTF8       = "invalid params: the body is not UTF-8"
)

// capReached says that the token's own limit leaves too little.
func capReached(token string) string {
	return fmt.Sprintf("That’s more than the token “%s” may spend this month.", token)
}

// noSuchModel says that there is no such model.
func noSuchModel(id string) string { return fmt.Sprintf("invalid params: there is no model %.60q", id) }

// wrongKind says of which kind the value of the field must be.
func wrongKind(field, kind string) string {
	return fmt.Sprintf("invalid params: %s must be %s", field, kind)
}

// invalidField says what is wrong with the field.
func invalidField(field, sentence string) string {
	return fmt.Sprintf("invalid params: %s: %s", field, sentence)
}

// invalidRequest says what is wrong with the request.
func invalidRequest(sentence string) string { return fmt.Sprintf("invalid params: %s", sentence) }

// tooFewCredits says why there are too few credits.
func tooFewCredits(sentence string) string { return fmt.Sprintf("insufficient credits: %s", sentence) }

// notPermitted says what the token may not do.
func notPermitted(sentence string) string { return fmt.Sprintf("no permission: %s", sentence) }

// slower asks for fewer requests.
func slower(sentence string) string { return fmt.Sprintf("rate limit: %s", sentence) }

// twice says that a field is there twice.
func twice(name string) string { return fmt.Sprintf("The field %q is there twice.", name) }

// unknownField says that there is no such field.
func unknownField(name string) string { return fmt.Sprintf("There’s no field %q.", name) }

// unknownQuery says that the address takes no such parameter.
func unknownQuery(name string) string { return fmt.Sprintf("There’s no parameter %q here.", name) }

// oddField says that a field has another kind of value.
func oddField(name string) string {
	return fmt.Sprintf("The field %q has another kind of value.", name)
}

// tooDear says that the price is above what the request allows.
func tooDear(price string) string {
	return fmt.Sprintf("It costs %s credits, more than max_credits.", price)
}
