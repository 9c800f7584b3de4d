package team

import (
	"fmt"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/views/input"
	"dailies/views/part"
)

// A LimitsPage holds the team's limits, and the requests to spend more.
type LimitsPage struct {
	Form *LimitsForm
	Room spending.Room // what the viewer and the team may still spend

	Open        []spending.Ask
	Answer      AnswerForm // an answer with errors
	Answered    []spending.Ask
	Overcharged []audit.Entry // videos that cost more than expected
}

// A LimitsForm holds the team's limits, as typed.
type LimitsForm struct {
	Default, Team input.Credits
	Unpriced      input.Choice
}

// NewLimitsForm returns the form with the limits.
func NewLimitsForm(l spending.Limits) *LimitsForm {
	const wrong = "Please give a number of credits, such as 500, or leave it empty for no limit."
	form := &LimitsForm{
		Default: input.CreditsIn("default", "Credits a month for each person", l.Default, wrong),
		Team:    input.CreditsIn("team", "Credits a month for the whole team", l.Team, wrong),
		Unpriced: input.Choice{
			Field:   input.Field{Name: "unpriced", Label: "When the price of a video is not known", Value: "allow"},
			Options: []input.Option{{Value: "allow", Label: "People may make it"}, {Value: asksUnpriced, Label: "An admin is asked first"}},
		},
	}
	if l.AskUnpriced {
		form.Unpriced.Value = asksUnpriced
	}
	return form
}

const asksUnpriced = "ask"

// Limits returns the limits in the form.
func (f *LimitsForm) Limits() spending.Limits {
	return spending.Limits{Default: f.Default.Amount, Team: f.Team.Amount, AskUnpriced: f.Unpriced.Value == asksUnpriced}
}

// An AnswerForm is an answer to a request, as typed.
type AnswerForm struct {
	ID      int64
	Error   string // about the answer as a whole
	Credits input.Credits
	Reason  input.Text
}

// NewAnswerForm returns the form that answers the request with the ID. The IDs of its
// fields contain that of the request, because a page may have several.
func NewAnswerForm(id int64) AnswerForm {
	field := func(name, label string) input.Field {
		return input.Field{Name: name, ID: fmt.Sprintf("%s-%d", name, id), Label: label}
	}
	return AnswerForm{
		ID:      id,
		Credits: input.Credits{Field: field("credits", "Credits"), Needed: true, Positive: true, Wrong: "Please give a number of credits, such as 90."},
		Reason:  input.Text{Field: field("reason", "Or say no, and why"), Room: 300, Most: spending.MaxSentence, Long: part.LongSentence},
	}
}

// NoAnswer is the sentence about a form that was sent without one of its buttons.
const NoAnswer = "Please press one of the buttons."

// answer returns the form that answers the request.
func (p LimitsPage) answer(a spending.Ask) AnswerForm {
	if p.Answer.ID == a.ID {
		return p.Answer
	}
	form := NewAnswerForm(a.ID)
	form.Credits.Value = db.CreditsOf(a.Credits).String()
	return form
}

// requestText describes the request.
func requestText(a spending.Ask) string {
	if a.Unpriced {
		return fmt.Sprintf("Wants to make a video of which nobody knows what it costs, and expects %s.", part.Amount(a.Credits))
	}
	return fmt.Sprintf("Wants to spend %s more than the limit.", part.Amount(a.Credits))
}

// A PersonLimit is the form with one user's limit.
type PersonLimit struct {
	User db.User
	LimitFields
	Next string // path of the page to show afterwards
}

// LimitFields are the fields with which a person's limit is chosen.
type LimitFields struct {
	Which   input.Choice
	Credits input.Credits // for a limit of their own
}

// NewLimitFields returns the fields with the limit. standard describes the limit of the
// team.
func NewLimitFields(l spending.Limit, legend, standard string) LimitFields {
	f := LimitFields{
		Which: input.Choice{
			Field: input.Field{Name: "limit", Label: legend, Value: string(l.Allowance)},
			Options: []input.Option{
				{Value: string(spending.Default), Label: fmt.Sprintf("The team’s: %s", standard)},
				{Value: string(spending.None), Label: "No limit"},
				{Value: string(spending.Own), Label: "A limit of their own"},
			},
			Wrong: "Please choose which limit the person has.",
		},
		Credits: input.Credits{Field: input.Field{Name: "credits", Label: "Credits a month", Focus: input.OnError}, Wrong: "Please give a number of credits, such as 500."},
	}
	if l.Allowance == spending.Own {
		f.Credits.Value = db.CreditsOf(l.Credits).String()
	}
	return f
}

// NewPersonLimit returns the form with the limit of a person, given that of the team.
func NewPersonLimit(u db.User, l spending.Limit, standard db.Credits, next string) PersonLimit {
	p := PersonLimit{User: u, LimitFields: NewLimitFields(l, "Which limit", spending.Words(standard)), Next: next}
	p.Which.Hidden = true
	return p
}

// Limit returns the limit in the fields.
func (f LimitFields) Limit() spending.Limit {
	return spending.Limit{Allowance: spending.Allowance(f.Which.Value), Credits: f.Credits.Amount.Amount}
}
