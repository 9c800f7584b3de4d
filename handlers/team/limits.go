package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Limits sets what may be spent, and answers requests to spend more.
type Limits struct {
	accounts *people.Accounts
	limits   *people.Limits
	log      *slog.Logger
	page     *spendingPage
}

// Show shows the team's limits, the requests to spend more, and what was spent.
func (l *Limits) Show(w http.ResponseWriter, r *http.Request) error {
	return l.page.draw(w, r, http.StatusOK, teamview.SpendingPage{})
}

// Save changes the limits of the team.
func (l *Limits) Save(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLimitsForm(spending.Limits{})
	if !site.ReadForm(r, &form.Default, &form.Team, &form.Unpriced) {
		return l.page.draw(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Form: form})
	}
	if err := l.limits.SetOfTeam(r.Context(), form.Limits()); err != nil {
		return err
	}
	l.log.Info("the team's limits were changed", "by", site.Me(r).ID)
	return l.page.pages.SeeOther(w, r, spendingPath, limitsChanged)
}

// SavePerson changes the limit of one user.
func (l *Limits) SavePerson(w http.ResponseWriter, r *http.Request, id int64) error {
	limits, err := l.limits.OfTeam(r.Context())
	if err != nil {
		return err
	}
	page := teamview.NewPersonLimit(db.User{}, spending.Limit{}, limits.Default, r.PostFormValue("next"))
	if !readLimit(r, &page.LimitFields) {
		if page.User, err = l.accounts.User(r.Context(), id); err != nil {
			return err
		}
		return l.page.pages.Draw(w, r, http.StatusUnprocessableEntity, fmt.Sprintf("Limit of %s", naming.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowPersonLimit(f, page) })
	}
	before, err := l.limits.Limit(r.Context(), id)
	if err != nil {
		return err
	}
	if err := l.limits.SetLimit(r.Context(), id, page.Limit()); err != nil {
		return err
	}
	l.log.Info("a person's limit was changed", "user", id, "by", site.Me(r).ID)
	undo := url.Values{"limit": {string(before.Allowance)}, "credits": {db.CreditsOf(before.Credits).String()}}
	said := limitSet(teamview.LimitWords(page.Limit(), limits.Default))
	return Answer(w, r, l.page.pages, "/members", Change{said, r.URL.Path, undo})
}

// readLimit reads the fields that set a user's limit, and reports whether they are
// valid. The amount counts only for a limit of their own.
func readLimit(r *http.Request, f *teamview.LimitFields) bool {
	site.Refill(r, &f.Credits)
	valid := site.ReadForm(r, &f.Which)
	if f.Credits.Needed = f.Which.Value == string(spending.Own); f.Credits.Needed {
		valid = site.ReadForm(r, &f.Credits)
	}
	return valid
}

// Answer answers a request to spend more.
func (l *Limits) Answer(w http.ResponseWriter, r *http.Request, id int64) error {
	answer, form := spending.Answer(r.PostFormValue("answer")), teamview.NewAnswerForm(id)
	needed, spare := input.Input(&form.Credits), input.Input(&form.Reason)
	if answer == spending.No {
		needed, spare = spare, needed
	}
	site.Refill(r, spare)
	valid := site.ReadForm(r, needed)
	if !answer.IsKnown() {
		form.Error, valid = teamview.NoAnswer, false
	}
	if !valid {
		return l.page.draw(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Answer: form})
	}
	a, err := l.limits.AnswerAsk(r.Context(), id, answer, form.Credits.Amount.Amount, form.Reason.Value, site.Me(r).ID, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return l.page.pages.BackTo(w, r, spendingPath, teamview.AnsweredBefore(a))
	}
	if err != nil {
		return err
	}
	l.log.Info("somebody who asked to spend more was answered", "user", a.UserID, "answer", string(answer), "by", site.Me(r).ID)
	return l.page.pages.BackTo(w, r, spendingPath, answered(a.UserName))
}
