package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/views/input"
)

// A CreditRequestForm is a request to the admins to spend more than a limit allows.
type CreditRequestForm struct {
	Open     *spending.CreditRequest // a request of the viewer's that still waits for an answer; nil if there is none
	Earlier  bool                    // Open is from before, and the request just sent was not stored
	Credits  input.Credits
	Sentence input.Text
	Unpriced bool // the request is for videos of unknown price
	Shown    bool // the fields are unfolded
	Admin    bool // the viewer is an admin and can change the limits
}

// LongSentence says that a sentence of 300 characters is enough.
const LongSentence = "300 characters at most"

// SomeCredits returns the rule that an amount above 0 is entered.
func SomeCredits() input.Rules {
	return input.Rules{input.Valid("required,credits,positive", "Enter a number, such as 90.").OnSubmit()}
}

// NewCreditRequestForm returns an empty form.
func NewCreditRequestForm() CreditRequestForm {
	return CreditRequestForm{
		Credits: input.Credits{Field: input.Field{Name: "ask_credits", Rules: SomeCredits()}},
		Sentence: input.Text{
			Field: input.Field{
				Name: "ask_sentence", Label: "What is it for?", Hint: "One sentence for an admin",
				Rules: input.Rules{
					input.Required("Say in one sentence what it’s for.").OnSubmit(), input.Max(spending.MaxSentence, LongSentence),
				},
			},
		},
	}
}

// IsRefused reports whether something is wrong with the request.
func (a CreditRequestForm) IsRefused() bool { return input.AreWrong(&a.Credits, &a.Sentence) }

// credits returns the field for the credits, with its label.
func (a CreditRequestForm) credits() input.Credits {
	a.Credits.Label = "How many more?"
	if a.Unpriced {
		a.Credits.Label = "Up to how many credits?"
	}
	return a.Credits
}

// answerOf describes an admin's answer to a request.
func answerOf(a spending.CreditRequest) string {
	by, more := naming.Isolated(a.AnsweredBy), Credits(db.CreditsOf(a.Credits))
	switch {
	case a.Answer == spending.No && a.Reason != "":
		return fmt.Sprintf("%s said no to more credits: “%s”", by, naming.Isolated(a.Reason))
	case a.Answer == spending.No:
		return fmt.Sprintf("%s said no to more credits.", by)
	case a.Unpriced:
		return fmt.Sprintf("%s allows videos with no fixed price, %s. Press Make again.", by, AnswerWords(a.Answer))
	case a.Answer == spending.Once:
		return fmt.Sprintf("%s gave you %s more, once this month. Press Make again.", by, more)
	}
	return fmt.Sprintf("%s raised your limit by %s, %s. Press Make again.", by, more, AnswerWords(a.Answer))
}

// AnswerWords describes what an answer allows.
func AnswerWords(a spending.Answer) string {
	switch a {
	case spending.Once:
		return "once"
	case spending.ThisMonth:
		return "this month"
	case spending.Always:
		return "from now on"
	}
	return "no"
}

// showsRequests reports whether the page shows the requests itself, with the forms that
// answer them.
func showsRequests(path string) bool {
	return below(path, []string{TeamPath, "/members", "/asks"})
}

// describeRequest describes a request for the admins.
func describeRequest(a spending.CreditRequest) string {
	if a.Unpriced {
		return fmt.Sprintf(
			"%s asks for a video with no fixed price, about %s.", naming.Isolated(a.UserName), Credits(db.CreditsOf(a.Credits)),
		)
	}
	return fmt.Sprintf("%s asks for %s more.", naming.Isolated(a.UserName), Credits(db.CreditsOf(a.Credits)))
}

// LimitWarning says that most or all of a limit is spent.
func LimitWarning(w spending.Warning) string {
	switch {
	case w.OfTeam && w.Percent == 100:
		return "The team has reached its limit."
	case w.OfTeam:
		return "The team has used 80% of its limit."
	case w.Percent == 100:
		return "You’ve reached your limit."
	}
	return "You’ve used 80% of your limit."
}
