package team

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/handlers/site"
	"dailies/views/input"
	teamview "dailies/views/team"
)

// spendingPath is the path of the page of what the team spends.
const spendingPath = "/team/spending"

// shownOpen and shownAnswered limit how many requests the page lists.
const (
	shownOpen     = 50
	shownAnswered = 50
)

// shownOvercharged limits how many videos the page lists that cost more than expected.
const shownOvercharged = 20

// drawSpending fills in the rest of the page and renders it.
func (t *Team) drawSpending(w http.ResponseWriter, r *http.Request, status int, page teamview.SpendingPage) error {
	ctx := r.Context()
	limits, err := t.limits.OfTeam(ctx)
	if err != nil {
		return err
	}
	var errs [4]error
	page.Budget, errs[0] = t.limits.Budget(ctx, site.Me(r).ID, db.Now())
	errs[1] = t.fillRequests(r, limits, &page)
	errs[2] = t.fillService(r, &page.Service)
	errs[3] = t.fillMonth(r, &page)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if page.Form == nil {
		page.Form = teamview.NewLimitsForm(limits)
	}
	return t.pages.Draw(w, r, status, "Spending", teamview.ShowSpending(page))
}

// fillRequests fills in the requests, and what cost more than expected.
func (t *Team) fillRequests(r *http.Request, limits spending.Limits, page *teamview.SpendingPage) error {
	ctx := r.Context()
	open, err := t.limits.OpenCreditRequests(ctx, shownOpen)
	errs := [3]error{err}
	page.Answered, errs[1] = t.limits.CreditRequests(ctx, 0, shownOpen+shownAnswered)
	page.Overcharged, errs[2] = t.audit.Entries(ctx, audit.Search{Noun: "limit", Action: audit.Overcharged, Limit: shownOvercharged})
	page.Answered = slices.DeleteFunc(page.Answered, func(a spending.CreditRequest) bool { return a.Answer == "" })
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for _, request := range open {
		m, err := t.members.Member(ctx, request.UserID, db.Now())
		if err != nil {
			return err
		}
		row := teamview.NewOpenRequest(request, m, limits)
		if page.Answer.ID == request.ID {
			row.Form = page.Answer
		}
		page.Open = append(page.Open, row)
	}
	return nil
}

// fillService fills in the video service, but no provider if an invalid one was typed.
func (t *Team) fillService(r *http.Request, part *teamview.ServicePart) error {
	if !t.registry.IsPractice() {
		part.Host, part.Fixed = t.registry.Current().Host(), t.registry.SettingsName() != ""
	}
	keys, err := t.presentKeys(r)
	errs := [5]error{err}
	part.Keys = keys
	if part.Provider == nil {
		name, err := t.settings.Provider(r.Context())
		part.Provider, errs[4] = teamview.NewServiceProvider(name), err
	}
	part.OwnAllowed, errs[1] = t.keys.OwnKeysAllowed(r.Context())
	part.Owning, part.Without, errs[2] = t.keys.CountKeyUsers(r.Context())
	calls, err := t.calls.BlockingCalls(r.Context(), t.now())
	part.Blocking, errs[3] = len(calls), err
	return errors.Join(errs[:]...)
}

// fillMonth fills in the team's time zone, unless an invalid one was typed, and what people
// spent this month.
func (t *Team) fillMonth(r *http.Request, page *teamview.SpendingPage) error {
	zone, err := t.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	if page.Zone == nil {
		page.Zone = teamview.NewZone(zone.String())
	}
	if page.Rebuilding, err = t.settings.Rebuilding(r.Context()); err != nil {
		return err
	}
	start := spending.MonthOf(db.Now(), zone).Start()
	filter := spending.Filter{First: start.Unix() / (24 * 60 * 60), Last: start.AddDate(0, 1, -1).Unix() / (24 * 60 * 60)}
	if page.OtherCredits, err = t.usage.OtherCredits(r.Context(), filter); err != nil {
		return err
	}
	sums, err := t.usage.Spending(r.Context(), filter, spending.ByPerson)
	if err != nil || len(sums) == 0 {
		return err
	}
	users, err := t.accounts.Users(r.Context())
	page.Usage = usageLines(sums, users)
	return err
}

// usageLines adds up what each person spent, the highest amount first.
func usageLines(sums []spending.Sum, users []db.User) (lines []teamview.UsageLine) {
	names, at := map[string]db.User{}, map[string]int{}
	for _, u := range users {
		names[strconv.FormatInt(u.ID, 10)] = u
	}
	for _, s := range sums {
		i, known := at[s.Of]
		if !known {
			i, at[s.Of] = len(lines), len(lines)
			lines = append(lines, teamview.UsageLine{ID: names[s.Of].ID, Name: names[s.Of].Name, Email: names[s.Of].Email})
		}
		line := &lines[i]
		line.Sum = line.Sum.Plus(s)
	}
	slices.SortFunc(lines, func(a, b teamview.UsageLine) int {
		return cmp.Or(cmp.Compare(b.Spent(), a.Spent()), cmp.Compare(a.Name, b.Name))
	})
	return lines[:min(len(lines), shownSpenders)]
}

// shownSpenders limits how many people the page lists with what they spent.
const shownSpenders = 100

// ShowSpending shows the team's limits, the requests to spend more, and what was spent.
func (t *Team) ShowSpending(w http.ResponseWriter, r *http.Request) error {
	return t.drawSpending(w, r, http.StatusOK, teamview.SpendingPage{})
}

// SaveLimits changes the limits of the team.
func (t *Team) SaveLimits(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewLimitsForm(spending.Limits{})
	if !site.ReadForm(r, &form.Default, &form.Team, &form.Unpriced) {
		return t.drawSpending(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Form: form})
	}
	if err := t.limits.SetOfTeam(r.Context(), form.Limits()); err != nil {
		return err
	}
	t.log.Info("the team's limits were changed", "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, spendingPath, limitsChanged)
}

// SavePersonLimit changes the limit of one user.
func (t *Team) SavePersonLimit(w http.ResponseWriter, r *http.Request, id int64) error {
	limits, err := t.limits.OfTeam(r.Context())
	if err != nil {
		return err
	}
	page := teamview.NewPersonLimit(db.User{}, spending.Limit{}, limits.Default, r.PostFormValue("next"))
	if !readLimit(r, &page.LimitFields) {
		if page.User, err = t.accounts.User(r.Context(), id); err != nil {
			return err
		}
		return t.pages.Draw(w, r, http.StatusUnprocessableEntity, fmt.Sprintf("Limit of %s", naming.Isolated(page.User.Name)),
			teamview.ShowPersonLimit(page))
	}
	before, err := t.limits.Limit(r.Context(), id)
	if err != nil {
		return err
	}
	if err := t.limits.SetLimit(r.Context(), id, page.Limit()); err != nil {
		return err
	}
	t.log.Info("a person's limit was changed", "user", id, "by", site.Me(r).ID)
	undo := url.Values{"limit": {string(before.Allowance)}, "credits": {db.CreditsOf(before.Credits).String()}}
	said := limitSet(teamview.LimitWords(page.Limit(), limits.Default))
	return site.Answer(w, r, t.pages, "/members", site.Change{Said: said, Path: r.URL.Path, Undo: undo})
}

// readLimit reads the fields that set a user's limit, and reports whether they are
// valid. The amount counts only for a limit of their own.
func readLimit(r *http.Request, f *teamview.LimitFields) bool {
	return site.ReadForm(r, &f.Which, &f.Credits)
}

// AnswerRequest answers a request to spend more.
func (t *Team) AnswerRequest(w http.ResponseWriter, r *http.Request, id int64) error {
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
		return t.drawSpending(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Answer: form})
	}
	a, err := t.limits.AnswerCreditRequest(r.Context(), id, answer, form.Credits.Amount.Amount, form.Reason.Value, site.Me(r).ID, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return t.pages.BackTo(w, r, spendingPath, teamview.AnsweredBefore(a))
	}
	if err != nil {
		return err
	}
	t.log.Info("somebody who asked to spend more was answered", "user", a.UserID, "answer", string(answer), "by", site.Me(r).ID)
	return t.pages.BackTo(w, r, spendingPath, answered(a.UserName))
}

// SaveProvider saves the provider that requests name unless their maker chose another.
func (t *Team) SaveProvider(w http.ResponseWriter, r *http.Request) error {
	provider := teamview.NewServiceProvider("")
	if !site.ReadForm(r, provider) {
		page := teamview.SpendingPage{Service: teamview.ServicePart{Provider: provider}}
		return t.drawSpending(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := t.settings.SetProvider(r.Context(), provider.Value); err != nil {
		return err
	}
	t.log.Info("the provider was changed", "provider", provider.Value, "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, spendingPath+"#service", site.Saved)
}

// SaveZone changes the team's time zone.
func (t *Team) SaveZone(w http.ResponseWriter, r *http.Request) error {
	zone := teamview.NewZone("")
	if !site.ReadForm(r, zone) {
		return t.drawSpending(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Zone: zone})
	}
	if err := t.settings.SetTimeZone(r.Context(), zone.Value); err != nil {
		return err
	}
	t.log.Info("the time zone was changed", "zone", zone.Value, "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, spendingPath+"#zone-section", zoneChanged)
}
