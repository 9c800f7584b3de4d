package team

import (
	"fmt"
	"math"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/views/input"
	"dailies/views/part"
)

// A SpendingPage holds the team's limits, the requests to spend more, the video service,
// and what was spent this month.
type SpendingPage struct {
	Form   *LimitsForm
	Budget spending.Budget // what the viewer and the team may still spend

	Open        []OpenRequest
	Answer      AnswerForm // an answer with errors
	Answered    []spending.CreditRequest
	Overcharged []audit.Entry // videos that cost more than expected

	Service      ServicePart
	Usage        []UsageLine
	OtherCredits spending.OtherCredits // what was spent in credits that do not count now
	Zone         *input.Text           // the team's time zone
	Rebuilding   bool                  // the usage totals are still being converted to it
}

// An OpenRequest is a request that nobody has answered, with what the person may spend.
type OpenRequest struct {
	spending.CreditRequest
	Limit db.Credits // unknown if there is none
	Spent float64
	Form  AnswerForm // the form for another answer than the usual ones
}

// NewOpenRequest returns the request of the person, given the team's limits.
func NewOpenRequest(a spending.CreditRequest, m team.Member, l spending.Limits) OpenRequest {
	open := OpenRequest{CreditRequest: a, Limit: m.Limit.In(l.Default), Spent: m.Spent, Form: NewAnswerForm(a.ID)}
	open.Form.Credits.Value = db.CreditsOf(a.Credits).String()
	return open
}

// A ServicePart says which video service makes the videos, and who pays for them.
type ServicePart struct {
	Host       string // empty in practice mode
	Fixed      bool   // the settings of the program name it
	Keys       []team.Key
	OwnAllowed bool // people may have keys of their own
	Owning     int  // number of people who use a key of their own
	Without    int  // number of people without any key
	Blocking   int  // number of keys that wait for a call

	Provider *input.Text // which requests name
}

// NewServiceProvider returns the field with the provider that requests to the service name.
func NewServiceProvider(name string) *input.Text {
	return &input.Text{
		Field: input.Field{
			Name: "provider", Label: "Provider", Value: name, Focus: input.OnError, Hint: "Only if the video service asks for one.",
			Rules: input.Rules{input.Valid("provider", "Use up to 100 plain letters and digits.")},
		},
		Plain: true,
	}
}

// A UsageLine is what a person spent this month.
type UsageLine struct {
	ID          int64
	Name, Email string
	spending.Sum
}

// A LimitsForm holds the team's limits, as typed.
type LimitsForm struct {
	Default, Team input.Credits
	Unpriced      input.Choice
}

// NewLimitsForm returns the form with the limits.
func NewLimitsForm(l spending.Limits) *LimitsForm {
	credits := input.Valid("credits", "Enter a number, such as 500. Empty for no limit.")
	form := &LimitsForm{
		Default: input.CreditsIn("default", "Each person", l.Default, credits),
		Team:    input.CreditsIn("team", "The whole team", l.Team, credits),
		Unpriced: input.Choice{
			Field:   input.Field{Name: "unpriced", Label: "Videos with no fixed price", Value: "allow"},
			Options: []input.Option{{Value: "allow", Label: "Allow"}, {Value: approvesUnpriced, Label: "Ask an admin"}},
		},
	}
	if l.ApproveUnpriced {
		form.Unpriced.Value = approvesUnpriced
	}
	return form
}

const approvesUnpriced = "ask"

// Limits returns the limits in the form.
func (f *LimitsForm) Limits() spending.Limits {
	return spending.Limits{Default: f.Default.Amount, Team: f.Team.Amount, ApproveUnpriced: f.Unpriced.Value == approvesUnpriced}
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
	field := func(name, label string, rules input.Rules) input.Field {
		return input.Field{Name: name, ID: fmt.Sprintf("%s-%d", name, id), Label: label, Rules: rules}
	}
	return AnswerForm{
		ID:      id,
		Credits: input.Credits{Field: field("credits", "Credits", part.SomeCredits())},
		Reason: input.Text{
			Field: field("reason", "Why not (optional)", input.Rules{input.Max(spending.MaxSentence, part.LongSentence)}),
		},
	}
}

// isWrong reports whether something is wrong with the answer.
func (f AnswerForm) isWrong() bool {
	return f.Error != "" || f.Credits.Error != "" || f.Reason.Error != ""
}

// NoAnswer is the sentence about a form that was sent without one of its buttons.
const NoAnswer = "Choose an answer."

// request describes the request.
func (a OpenRequest) request() string {
	switch name := naming.Isolated(a.UserName); {
	case a.Unpriced:
		return fmt.Sprintf("%s wants a video with no fixed price (about %s)", name, part.Number(a.Credits))
	default:
		return fmt.Sprintf("%s asks for %s more", name, part.Number(a.Credits))
	}
}

// once names the button that gives what was asked for once.
func (a OpenRequest) once() string {
	if a.Unpriced {
		return "Allow once"
	}
	return fmt.Sprintf("Give %s once", part.Number(a.Credits))
}

// raise names the button that gives it from now on.
func (a OpenRequest) raise() string {
	switch {
	case a.Unpriced:
		return "Always allow"
	case a.Limit.Known:
		return fmt.Sprintf("Raise to %s", part.Number(a.Limit.Amount+a.Credits))
	}
	return fmt.Sprintf("Raise by %s", part.Number(a.Credits))
}

// used says how much of their limit the person has spent. It is empty without a limit.
func (a OpenRequest) used() string {
	if !a.Limit.Known {
		return ""
	}
	return fmt.Sprintf("%s of %s used.", part.Number(a.Spent), part.Number(a.Limit.Amount))
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
			Field: input.Field{Name: "limit", Label: legend, Value: string(l.Allowance), Rules: input.Offered("Choose a limit.")},
			Options: []input.Option{
				{Value: string(spending.Default), Label: fmt.Sprintf("Same as everyone: %s", standard)},
				{Value: string(spending.None), Label: "No limit"},
				{Value: string(spending.Own), Label: "Their own"},
			},
		},
		Credits: input.Credits{
			Field: input.Field{
				Name: "credits", Label: "Credits a month", Focus: input.OnError,
				Rules: input.Rules{
					input.Valid("required,credits", "Enter a number, such as 500.").OnSubmit().If("limit", string(spending.Own)),
				},
			},
		},
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

// pace says how much the team will have spent by the end of the month, if it goes on as
// before. It is empty at the beginning of the month.
func (p SpendingPage) pace(now time.Time) string {
	start := p.Budget.Month.Start()
	end := start.AddDate(0, 1, 0)
	gone := now.Sub(start)
	if gone < 3*24*time.Hour || !now.Before(end) || p.Budget.TeamHas == 0 {
		return ""
	}
	by := p.Budget.TeamHas * float64(end.Sub(start)) / float64(gone)
	return fmt.Sprintf("At this pace about %s by %s.", part.Number(roughly(by)), end.AddDate(0, 0, -1).Format("2 January"))
}

// roughly rounds to two digits.
func roughly(n float64) float64 {
	step := 1.0
	for n >= 100*step {
		step *= 10
	}
	return math.Round(n/step) * step
}

// SpendingFact says how much of its limit the team has spent.
func SpendingFact(r spending.Budget) string {
	if !r.Team.Known {
		return fmt.Sprintf("%s this month", part.Amount(r.TeamHas))
	}
	return fmt.Sprintf("%s of %s this month", part.Number(r.TeamHas), part.Number(r.Team.Amount))
}

// standard returns the key that people without another one use.
func (s ServicePart) standard() (team.Key, bool) {
	at := slices.IndexFunc(s.Keys, func(k team.Key) bool { return k.Standard })
	if at < 0 {
		return team.Key{}, false
	}
	return s.Keys[at], true
}

// owning says how many people use keys of their own.
func (s ServicePart) owning() string {
	switch {
	case !s.OwnAllowed:
		return "Everyone uses the team’s keys."
	case s.Owning == 0:
		return "People may use their own key. Nobody does."
	case s.Owning == 1:
		return "People may use their own key. One does."
	}
	return fmt.Sprintf("People may use their own key. %s do.", part.Number(s.Owning))
}

// perVideo returns what each finished video cost, with all attempts.
func perVideo(s spending.Sum) string {
	credits, ok := s.PerVideo()
	if !ok {
		return "–"
	}
	return part.Number(math.Round(credits))
}

// AnsweredBefore says who answered a request already, and what; or that it was for practice
// credits, and the team has left practice mode, or the other way round.
func AnsweredBefore(a spending.CreditRequest) string {
	if a.Answer == "" {
		return "The team uses another video service now, so this request has ended."
	}
	name := naming.Isolated(a.AnsweredBy)
	if a.Answer == spending.No {
		return fmt.Sprintf("%s declined this already.", name)
	}
	return fmt.Sprintf("%s gave %s already, %s.", name, part.Amount(a.Credits), part.AnswerWords(a.Answer))
}
