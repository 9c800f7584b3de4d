package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/views/input"
)

// An AskForm is a request to the admins to spend more than a limit allows.
type AskForm struct {
	Open     *spending.Ask // a request of the viewer's that still waits for an answer; nil if there is none
	Earlier  bool          // Open is from before, and the request just sent was not stored
	Credits  input.Credits
	Sentence input.Text
	Unpriced bool // the request is for videos of unknown price
	Shown    bool // the fields are unfolded
	Admin    bool // the viewer is an admin and can change the limits
}

// LongSentence says that a sentence of 300 characters is enough.
const LongSentence = "Please say it in fewer words: 300 characters at most."

// NewAskForm returns an empty form.
func NewAskForm() AskForm {
	return AskForm{
		Credits: input.Credits{Field: input.Field{Name: "ask_credits"}, Needed: true, Positive: true, Wrong: "Please give a number of credits, such as 90."},
		Sentence: input.Text{
			Field: input.Field{Name: "ask_sentence", Label: "What is it for?", Hint: "One sentence for the admins of your team."},
			Room:  300, Most: spending.MaxSentence, Missing: "Please say in one sentence what it is for.", Long: LongSentence,
		},
	}
}

// IsRefused reports whether something is wrong with the request.
func (a AskForm) IsRefused() bool { return input.AreWrong(&a.Credits, &a.Sentence) }

// credits returns the field for the credits, with its label.
func (a AskForm) credits() input.Credits {
	a.Credits.Label = "How many credits more"
	if a.Unpriced {
		a.Credits.Label = "How many credits it may cost"
	}
	return a.Credits
}

// Answered describes an admin's answer to a request.
func Answered(a spending.Ask) string {
	by, more := naming.Isolated(a.AnsweredBy), Credits(db.CreditsOf(a.Credits))
	switch {
	case a.Answer == spending.No && a.Reason != "":
		return fmt.Sprintf("%s said no to more credits: “%s”", by, naming.Isolated(a.Reason))
	case a.Answer == spending.No:
		return fmt.Sprintf("%s said no to more credits.", by)
	case a.Unpriced:
		return fmt.Sprintf("%s lets you make videos of which nobody knows what they cost, %s. Press the button again to make your video.", by, AnswerWords(a.Answer))
	case a.Answer == spending.Once:
		return fmt.Sprintf("%s lets you spend %s more than your limit, with one press this month. Press the button again to make your video.", by, more)
	}
	return fmt.Sprintf("%s raised your limit by %s, %s. Press the button again to make your video.", by, more, AnswerWords(a.Answer))
}

// AnswerWords describes what an answer allows.
func AnswerWords(a spending.Answer) string {
	switch a {
	case spending.Once:
		return "for one press"
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

// asks describes a request for the admins.
func asks(a spending.Ask) string {
	if a.Unpriced {
		return fmt.Sprintf("%s asks to make a video of which nobody knows what it costs, and expects %s.", naming.Isolated(a.UserName), Credits(db.CreditsOf(a.Credits)))
	}
	return fmt.Sprintf("%s asks for %s more.", naming.Isolated(a.UserName), Credits(db.CreditsOf(a.Credits)))
}

// LimitWarning says that most or all of a limit is spent.
func LimitWarning(w spending.Warning) string {
	switch {
	case w.OfTeam && w.Percent == 100:
		return "The team has spent all that it may this month."
	case w.OfTeam:
		return "The team has spent 80 % of what it may this month."
	case w.Percent == 100:
		return "You have spent all that you may this month."
	}
	return "You have spent 80 % of what you may this month."
}
