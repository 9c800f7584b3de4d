package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/team"
)

// An AskForm asks an admin to let somebody spend more.
type AskForm struct {
	Open     *team.Ask // that waits for an answer; nil for none
	Earlier  bool      // that is an earlier one: what was asked now is not kept
	Credits  string    // as typed
	Sentence string
	Unpriced bool // it is about videos of which nobody knows what they cost
	Shown    bool // the fields are open
	Admin    bool // whoever is stopped can change the limits
	Errors   Errors
}

// Answered says what an admin has answered.
func Answered(a team.Ask) string {
	more := Credits(db.CreditsOf(a.Credits))
	var said string
	switch {
	case a.Answer == team.No && a.Reason != "":
		return a.AnsweredBy + " said no to more credits: “" + a.Reason + "”"
	case a.Answer == team.No:
		return a.AnsweredBy + " said no to more credits."
	case a.Unpriced:
		said = "lets you make videos of which nobody knows what they cost"
	case a.Answer == team.Once:
		return fmt.Sprintf("%s lets you spend %s more than your limit, with one press this month. Press the button again to make your video.", a.AnsweredBy, more)
	default:
		said = "raised your limit by " + more
	}
	return a.AnsweredBy + " " + said + ", " + AnswerWords(a.Answer) + ". Press the button again to make your video."
}

// AnswerWords returns the answer in words.
func AnswerWords(a team.Answer) string {
	switch a {
	case team.Once:
		return "for one press"
	case team.ThisMonth:
		return "this month"
	case team.Always:
		return "from now on"
	}
	return "no"
}

// asks says what somebody wants.
func asks(a team.Ask) string {
	if a.Unpriced {
		return a.UserName + " asks to make a video of which nobody knows what it costs, and expects " + Credits(db.CreditsOf(a.Credits)) + "."
	}
	return a.UserName + " asks for " + Credits(db.CreditsOf(a.Credits)) + " more."
}

// LimitWarning says that most of a limit is spent.
func LimitWarning(w team.Warning) string {
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
