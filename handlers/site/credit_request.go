package site

import (
	"context"
	"errors"
	"log/slog"
	"net/url"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/people"
	"dailies/views/part"
)

// CreditRequests handles users' requests to spend more than their limit.
type CreditRequests struct {
	limits *people.Limits
	log    *slog.Logger
}

// NewCreditRequests returns the CreditRequests of a site.
func NewCreditRequests(limits *people.Limits, log *slog.Logger) CreditRequests {
	return CreditRequests{limits: limits, log: log}
}

// Form returns the user's form for such a request, with the open request if there is
// one.
func (a CreditRequests) Form(ctx context.Context, u db.User) (part.CreditRequestForm, error) {
	asked, err := a.limits.CreditRequests(ctx, u.ID, 1)
	form := part.NewCreditRequestForm()
	form.Admin = u.IsAdmin()
	if err == nil && len(asked) > 0 && asked[0].Answer == "" {
		form.Open = &asked[0]
	}
	return form, err
}

// Add stores the submitted request. If it is invalid, the returned form contains the
// errors; otherwise it contains the open request.
func (a CreditRequests) Add(ctx context.Context, u db.User, v url.Values) (part.CreditRequestForm, error) {
	form := part.NewCreditRequestForm()
	form.Unpriced = v.Get("ask_unpriced") == "true"
	if !ReadInputs(v, &form.Credits, &form.Sentence) {
		return form, nil
	}
	credits := form.Credits.Amount.Amount
	request := spending.CreditRequest{UserID: u.ID, Credits: credits, Sentence: form.Sentence.Value, Unpriced: form.Unpriced, At: db.Now()}
	err := a.limits.AddCreditRequest(ctx, &request)
	earlier := errors.Is(err, db.ErrConflict) // already sent in another tab
	if err != nil && !earlier {
		return form, err
	}
	if !earlier {
		a.log.Info("somebody asked to spend more", "user", u.ID, "credits", credits)
	}
	form, err = a.Form(ctx, u)
	form.Earlier = earlier
	return form, err
}
