package team

import (
	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
	"fmt"
)

// A LimitsPage holds the team's limits, and the requests to spend more.
type LimitsPage struct {
	Form   LimitsForm
	Errors part.Errors
	Room   team.Room // what the viewer and the team may still spend

	Open        []team.Ask
	Answer      AnswerForm // an answer with errors
	Answered    []team.Ask
	Overcharged []team.Entry // videos that cost more than expected
}

// A LimitsForm holds the team's limits, as typed.
type LimitsForm struct {
	Default, Team string
	AskUnpriced   bool
}

// An AnswerForm is an answer to a request, as typed.
type AnswerForm struct {
	ID              int64
	Credits, Reason string
	Errors          part.Errors
}

// answer returns the form that answers the request.
func (p LimitsPage) answer(a team.Ask) AnswerForm {
	if p.Answer.ID == a.ID {
		return p.Answer
	}
	return AnswerForm{ID: a.ID, Credits: db.CreditsOf(a.Credits).String()}
}

// requestText describes the request.
func requestText(a team.Ask) string {
	if a.Unpriced {
		return fmt.Sprintf("Wants to make a video of which nobody knows what it costs, and expects %s.", part.Amount(a.Credits))
	}
	return fmt.Sprintf("Wants to spend %s more than the limit.", part.Amount(a.Credits))
}

// A PersonLimit is the form with one user's limit.
type PersonLimit struct {
	User    db.User
	Limit   team.Limit
	Default db.Credits // the team's default
	Credits string     // as typed
	Next    string     // path of the page to show afterwards
	Errors  part.Errors
}
