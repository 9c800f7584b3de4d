package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
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
	now, err := l.limits.OfTeam(ctx)
	if err != nil {
		return err
	}
	if page.Errors == nil {
		page.Form = teamview.LimitsForm{Default: typedLimit(now.Default), Team: typedLimit(now.Team), AskUnpriced: now.AskUnpriced}
	}
	if page.Room, err = l.limits.Room(ctx, site.Me(r).ID, db.Now()); err != nil {
		return err
	}
	if page.Open, err = l.limits.OpenAsks(ctx, shownOpen); err != nil {
		return err
	}
	all, err := l.limits.Asks(ctx, 0, shownOpen+shownAnswered)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.Answer != "" {
			page.Answered = append(page.Answered, a)
		}
	}
	page.Overcharged, err = l.audit.Entries(ctx, team.Search{Noun: "limit", Action: team.Overcharged, Limit: shownOvercharged})
	if err != nil {
		return err
	}
	return l.pages.Draw(w, r, status, "Limits", func(f part.Frame) templ.Component { return teamview.ShowLimits(f, page) })
}

func typedLimit(c db.Credits) string {
	if !c.Known {
		return ""
	}
	return c.String()
}

// Save changes the limits of the team.
func (l *Limits) Save(w http.ResponseWriter, r *http.Request) error {
	typed := func(name string) string {
		return strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue(name)), 40))
	}
	form := teamview.LimitsForm{Default: typed("default"), Team: typed("team"), AskUnpriced: r.PostFormValue("unpriced") == "ask"}
	errs := part.Errors{}
	read := func(field, text string) db.Credits {
		if text == "" {
			return db.Credits{}
		}
		amount, ok := site.Credits(text, team.MaxCredits)
		if !ok {
			errs[field] = "Please give a number of credits, such as 500, or leave it empty for no limit."
		}
		return db.CreditsOf(amount)
	}
	limits := team.Limits{Default: read("default", form.Default), Team: read("team", form.Team), AskUnpriced: form.AskUnpriced}
	if len(errs) > 0 {
		return l.page(w, r, http.StatusUnprocessableEntity, teamview.LimitsPage{Form: form, Errors: errs})
	}
	if err := l.limits.SetOfTeam(r.Context(), limits); err != nil {
		return err
	}
	l.log.Info("the team's limits were changed", "by", site.Me(r).ID)
	return l.pages.SeeOther(w, r, "/team/limits", "The limits are changed.")
}

// SavePerson changes the limit of one user.
func (l *Limits) SavePerson(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	limit, problem := ReadLimit(r.PostFormValue("limit"), r.PostFormValue("credits"))
	if problem != "" {
		page := teamview.PersonLimit{
			Limit: limit, Credits: site.Clip(site.PlainText(r.PostFormValue("credits")), 40), Next: r.PostFormValue("next"), Errors: part.Errors{"credits": problem},
		}
		if page.User, err = l.accounts.User(r.Context(), id); err != nil {
			return err
		}
		limits, err := l.limits.OfTeam(r.Context())
		if err != nil {
			return err
		}
		page.Default = limits.Default
		return l.pages.Draw(w, r, http.StatusUnprocessableEntity, fmt.Sprintf("Limit of %s", db.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowPersonLimit(f, page) })
	}
	if err := l.limits.SetLimit(r.Context(), id, limit); err != nil {
		return err
	}
	l.log.Info("a person's limit was changed", "user", id, "by", site.Me(r).ID)
	return l.pages.BackTo(w, r, "/members", "The limit is changed.")
}

// ReadLimit parses the form fields that set a user's limit. The problem is a message
// for the form, empty if they are valid.
func ReadLimit(allowance, credits string) (limit team.Limit, problem string) {
	switch limit.Allowance = team.Allowance(allowance); limit.Allowance {
	case team.Default, team.None:
		return limit, ""
	case team.Own:
		amount, ok := site.Credits(credits, team.MaxCredits)
		if !ok {
			return limit, "Please give a number of credits, such as 500."
		}
		limit.Credits = amount
		return limit, ""
	}
	limit.Allowance = team.Default
	return limit, "Please choose which limit the person has."
}

// Answer answers a request to spend more.
func (l *Limits) Answer(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	answer := team.Answer(r.PostFormValue("answer"))
	reason := db.CleanName(site.Clip(r.PostFormValue("reason"), 2000))
	typed := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("credits")), 40))
	more, ok := site.Credits(typed, team.MaxCredits)
	errs := part.Errors{}
	switch {
	case !answer.IsKnown():
		errs["answer"] = "Please press one of the buttons."
	case answer == team.No && utf8.RuneCountInString(reason) > team.MaxSentence:
		errs["reason"] = "Please say it in fewer words: 300 characters at most."
	case answer != team.No && (!ok || more <= 0):
		errs["credits"] = "Please give a number of credits, such as 90."
	}
	if len(errs) > 0 {
		return l.page(w, r, http.StatusUnprocessableEntity, teamview.LimitsPage{Answer: teamview.AnswerForm{ID: id, Credits: typed, Reason: reason, Errors: errs}})
	}
	a, err := l.limits.AnswerAsk(r.Context(), id, answer, more, reason, site.Me(r).ID, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return l.pages.SeeOther(w, r, "/team/limits", "Another admin has answered already.")
	}
	if err != nil {
		return err
	}
	l.log.Info("somebody who asked to spend more was answered", "user", a.UserID, "answer", string(answer), "by", site.Me(r).ID)
	return l.pages.SeeOther(w, r, "/team/limits", fmt.Sprintf("%s is told.", db.Isolated(a.UserName)))
}
