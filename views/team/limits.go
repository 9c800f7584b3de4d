package team

import (
	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
)

// A LimitsPage holds the limits of the team, and what people ask for.
type LimitsPage struct {
	Form   LimitsForm
	Errors part.Errors
	Room   team.Room // of the admin who looks, and of the team

	Open        []team.Ask
	Answer      AnswerForm // that could not be taken
	Answered    []team.Ask
	Overcharged []team.Entry // videos that cost more than was expected
}

// A LimitsForm holds the limits of the team, as typed.
type LimitsForm struct {
	Default, Team string
	AskUnpriced   bool
}

// An AnswerForm is an answer as typed.
type AnswerForm struct {
	ID              int64
	Credits, Reason string
	Errors          part.Errors
}

// answer returns the form that answers the question.
func (p LimitsPage) answer(a team.Ask) AnswerForm {
	if p.Answer.ID == a.ID {
		return p.Answer
	}
	return AnswerForm{ID: a.ID, Credits: db.CreditsOf(a.Credits).String()}
}

// wanted says how much somebody asks for.
func wanted(a team.Ask) string {
	if a.Unpriced {
		return "Wants to make a video of which nobody knows what it costs, and expects " + part.Amount(a.Credits) + "."
	}
	return "Wants to spend " + part.Amount(a.Credits) + " more than the limit."
}

// A PersonLimit is the form with one person's limit.
type PersonLimit struct {
	User    db.User
	Limit   team.Limit
	Default db.Credits // of the team
	Credits string     // as typed
	Next    string     // the page that follows
	Errors  part.Errors
}
