package part

import (
	"fmt"
	"strings"
	"unicode"

	"dailies/db"
)

// Headline says in one sentence how a task without a video ended. It is empty for other
// tasks.
func (c Card) Headline() string {
	switch c.Task.State {
	case db.Failed, db.Rejected:
		if len(suspects(c)) > 0 {
			return "The service won’t use this face"
		}
	}
	switch c.Task.State {
	case db.Failed:
		return "This one failed"
	case db.Canceled:
		return "The service stopped this one"
	case db.Rejected:
		return "This one wasn’t started"
	case db.Unconfirmed:
		return "We don’t know if this one started"
	}
	return ""
}

// Reason says why the task produced no video.
func (c Card) Reason() string {
	t := c.Task
	if t.State == db.Unconfirmed {
		return "We lost the reply. It may have been charged, so we won’t resend it unless you ask."
	}
	if len(suspects(c)) > 0 {
		return "" // it is said beside the picture
	}
	return FailureReason(t)
}

// FailureReason returns the cause of a failure in plain words; for an unknown cause, it
// quotes the service.
func FailureReason(t db.Task) string {
	if sentence := causeSentences[t.Cause()]; sentence != "" {
		return sentence
	}
	words := strings.TrimRight(Clip(t.Message, 200), ". ")
	switch {
	case words == "":
		return "The service gave no reason."
	case t.State != db.Rejected && isCode(words):
		return fmt.Sprintf("The service gave only a code: %s.", words)
	case t.State == db.Rejected:
		return fmt.Sprintf("%s.", words) // this message is our own, not a quotation
	}
	return fmt.Sprintf("The service said: “%s”.", words)
}

// isCode reports whether the words are the code of an error rather than words.
func isCode(words string) bool {
	return !strings.Contains(words, " ") && !strings.ContainsFunc(words, func(c rune) bool { return c > unicode.MaxLatin1 })
}

// causeSentences explain the known causes.
var causeSentences = map[db.Cause]string{
	db.Blocked:      "A safety filter stopped it. Try other words or another picture.",
	db.BlockedSound: "A safety filter stopped its sound. Try without sound.",
	db.Copyright:    "Too close to somebody’s work. Leave out titles and brands.",
	db.RealPerson:   "The model won’t show real people. Try without that picture.",
	db.NoPicture:    "The service couldn’t open a picture. Upload it here instead.",
	db.BadPicture:   "The model can’t use this picture. Try another size or format.",
	db.BadRequest:   "The model can’t combine these options. Change one.",
	db.NoCredits:    "Not enough credits.",
	db.Unfunded:     "This is the service’s problem, not your credits. Try later, or another model.",
	db.BadKey:       "The service refuses the key, or there’s none.",
	db.Busy:         "The service is busy. Try again in a minute.",
	db.Overloaded:   "The model gave up. Try again in a minute.",
}

// Clip joins the text to one line and cuts it after longest characters.
func Clip(s string, longest int) string {
	s = strings.Join(strings.Fields(s), " ")
	if letters := []rune(s); len(letters) > longest {
		return strings.TrimSpace(string(letters[:longest])) + "…"
	}
	return s
}

// money says what happened to the credits.
func (c Card) money() string {
	t := c.Task
	switch {
	case t.State == db.Rejected:
		return "Nothing charged."
	case t.Returned.Known && t.Returned.Amount > 0 && t.State != db.Success:
		return fmt.Sprintf("%s came back.", Amount(t.Returned.Amount))
	case t.Filtered() && t.Charged.Known:
		return fmt.Sprintf("%s. They don’t come back for filtered videos.", Amount(t.Charged.Amount))
	case t.Filtered():
		return "Credits don’t come back for filtered videos."
	case t.State == db.Failed && t.Charged.Known:
		return "Nothing charged."
	case t.State == db.Failed:
		return "Credits for failed videos come back by themselves."
	case t.State == db.Canceled && t.Charged.Known:
		return fmt.Sprintf("%s. They don’t come back for cancelled videos.", Amount(t.Charged.Amount))
	case t.State == db.Canceled:
		return "Credits don’t come back for cancelled videos."
	}
	return ""
}

// Cost returns what the video finally cost, where a price is shown: "0 credits" if all
// were refunded. It is empty if the cost is not known.
func (c Card) Cost() string {
	paid := c.Task.Paid()
	if !paid.Known {
		return ""
	}
	return Credits(paid)
}

// A Step is a link or a hint that helps where trying again does not.
type Step struct {
	Link  string // empty for a hint without a link
	Label string
}

// Remedy returns the step that removes the cause of a failure. Sandbox credits are
// added in Settings, those of a real service on its own site.
func Remedy(t db.Task, sandbox bool) Step {
	switch cause := t.Cause(); {
	case cause == db.BadKey:
		return Step{"/settings#key", "Check your key in Settings"}
	case cause == db.NoCredits && sandbox:
		return Step{"/settings#key", "Add credits in Settings"}
	case cause == db.NoCredits:
		return Step{"", "Add credits on the service’s site, then try again."}
	}
	return Step{}
}

// canRetry reports whether the viewer may send the same task again with one button.
func (c Card) canRetry() bool {
	s := c.Task.State
	return c.decides() && (s == db.Failed || s == db.Canceled || s == db.Rejected)
}

// canMakeSilent reports whether it may help to make the video without sound.
func (c Card) canMakeSilent() bool {
	return c.Task.Options.HasSound() && c.Task.Cause().SuggestsSilence()
}

// retryLabel names the button that sends the task again, with the price if it is known.
func (c Card) retryLabel() string {
	if price := c.Task.PriceAgain(); price.Known {
		return fmt.Sprintf("Try again · %s", Amount(price.Amount))
	}
	return "Try again"
}
