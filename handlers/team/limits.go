package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
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
	audit    *people.Audit
	limits   *people.Limits
	log      *slog.Logger
	pages    *site.Pages
}

// shownOpen and shownAnswered limit how many requests the page lists.
const (
	shownOpen     = 50
	shownAnswered = 50
)

// shownOvercharged limits how many videos the page lists that cost more than expected.
const shownOvercharged = 20

// Show shows the team's limits and the requests to spend more.
func (l *Limits) Show(w http.ResponseWriter, r *http.Request) error {
	return l.page(w, r, http.StatusOK, teamview.LimitsPage{})
}

func (l *Limits) page(w http.ResponseWriter, r *http.Request, status int, page teamview.LimitsPage) error {
	ctx := r.Context()
	limits, err := l.limits.OfTeam(ctx)
	errs := [5]error{err}
	page.Room, errs[1] = l.limits.Room(ctx, site.Me(r).ID, db.Now())
	page.Open, errs[2] = l.limits.OpenAsks(ctx, shownOpen)
	page.Answered, errs[3] = l.limits.Asks(ctx, 0, shownOpen+shownAnswered)
	page.Overcharged, errs[4] = l.audit.Entries(ctx, audit.Search{Noun: "limit", Action: audit.Overcharged, Limit: shownOvercharged})
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if page.Form == nil {
		page.Form = teamview.NewLimitsForm(limits)
	}
	page.Answered = slices.DeleteFunc(page.Answered, func(a spending.Ask) bool { return a.Answer == "" })
	return l.pages.Draw(w, r, status, "Limits", func(f part.Frame) templ.Component { return teamview.ShowLimits(f, page) })
}

// Save changes the limits of the team.
func (l *Limits) Save(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLimitsForm(spending.Limits{})
	if !site.ReadForm(r, &form.Default, &form.Team, &form.Unpriced) {
		return l.page(w, r, http.StatusUnprocessableEntity, teamview.LimitsPage{Form: form})
	}
	if err := l.limits.SetOfTeam(r.Context(), form.Limits()); err != nil {
		return err
	}
	l.log.Info("the team's limits were changed", "by", site.Me(r).ID)
	return l.pages.SeeOther(w, r, "/team/limits", "The limits are changed.")
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
		return l.pages.Draw(w, r, http.StatusUnprocessableEntity, fmt.Sprintf("Limit of %s", naming.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowPersonLimit(f, page) })
	}
	if err := l.limits.SetLimit(r.Context(), id, page.Limit()); err != nil {
		return err
	}
	l.log.Info("a person's limit was changed", "user", id, "by", site.Me(r).ID)
	return l.pages.BackTo(w, r, "/members", "The limit is changed.")
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
		return l.page(w, r, http.StatusUnprocessableEntity, teamview.LimitsPage{Answer: form})
	}
	a, err := l.limits.AnswerAsk(r.Context(), id, answer, form.Credits.Amount.Amount, form.Reason.Value, site.Me(r).ID, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return l.pages.SeeOther(w, r, "/team/limits", "Another admin has answered already.")
	}
	if err != nil {
		return err
	}
	l.log.Info("somebody who asked to spend more was answered", "user", a.UserID, "answer", string(answer), "by", site.Me(r).ID)
	return l.pages.SeeOther(w, r, "/team/limits", fmt.Sprintf("%s is told.", naming.Isolated(a.UserName)))
}
