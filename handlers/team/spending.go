package team

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// spendingPath is the path of the page of what the team spends.
const spendingPath = "/team/spending"

// spendingPage is the page of what the team may spend and has spent.
type spendingPage struct {
	asks    *askList
	days    *dayPart
	limits  *people.Limits
	pages   *site.Pages
	service *servicePart
}

// askList knows who asks to spend more, and what cost more than expected.
type askList struct {
	audit   *people.Audit
	limits  *people.Limits
	members *people.Members
}

// dayPart knows the team's time zone, and what each person spent this month.
type dayPart struct {
	accounts *people.Accounts
	settings *people.Settings
	usage    *video.Usage
}

// servicePart knows the video service and the keys for it.
type servicePart struct {
	keys     *keyPages
	store    *people.Keys
	settings *people.Settings
	desk     *service.Desk
}

// shownOpen and shownAnswered limit how many requests the page lists.
const (
	shownOpen     = 50
	shownAnswered = 50
)

// shownOvercharged limits how many videos the page lists that cost more than expected.
const shownOvercharged = 20

// draw fills in the rest of the page and renders it.
func (s *spendingPage) draw(w http.ResponseWriter, r *http.Request, status int, page teamview.SpendingPage) error {
	ctx := r.Context()
	limits, err := s.limits.OfTeam(ctx)
	if err != nil {
		return err
	}
	var errs [4]error
	page.Room, errs[0] = s.limits.Room(ctx, site.Me(r).ID, db.Now())
	errs[1] = s.asks.fill(r, limits, &page)
	errs[2] = s.service.fill(r, &page.Service)
	errs[3] = s.days.fill(r, &page)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if page.Form == nil {
		page.Form = teamview.NewLimitsForm(limits)
	}
	return s.pages.Draw(w, r, status, "Spending", func(f part.Frame) templ.Component { return teamview.ShowSpending(f, page) })
}

// fill fills in the requests, and what cost more than expected.
func (a *askList) fill(r *http.Request, limits spending.Limits, page *teamview.SpendingPage) error {
	ctx := r.Context()
	open, err := a.limits.OpenAsks(ctx, shownOpen)
	errs := [3]error{err}
	page.Answered, errs[1] = a.limits.Asks(ctx, 0, shownOpen+shownAnswered)
	page.Overcharged, errs[2] = a.audit.Entries(ctx, audit.Search{Noun: "limit", Action: audit.Overcharged, Limit: shownOvercharged})
	page.Answered = slices.DeleteFunc(page.Answered, func(a spending.Ask) bool { return a.Answer == "" })
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for _, ask := range open {
		m, err := a.members.Member(ctx, ask.UserID, db.Now())
		if err != nil {
			return err
		}
		row := teamview.NewOpenAsk(ask, m, limits)
		if page.Answer.ID == ask.ID {
			row.Form = page.Answer
		}
		page.Open = append(page.Open, row)
	}
	return nil
}

// fill fills in the video service, but no provider if an invalid one was typed.
func (s *servicePart) fill(r *http.Request, part *teamview.ServicePart) error {
	if !s.desk.IsPractice() {
		part.Host, part.Fixed = s.desk.Current().Host(), s.desk.SettingsName() != ""
	}
	keys, err := s.keys.present(r)
	errs := [5]error{err}
	part.Keys = keys
	if part.Provider == nil {
		name, err := s.settings.Provider(r.Context())
		part.Provider, errs[4] = teamview.NewServiceProvider(name), err
	}
	part.OwnAllowed, errs[1] = s.store.OwnKeysAllowed(r.Context())
	part.Owning, part.Without, errs[2] = s.store.CountKeyUsers(r.Context())
	calls, err := s.keys.blocking(r.Context())
	part.Blocking, errs[3] = len(calls), err
	return errors.Join(errs[:]...)
}

// fill fills in the team's time zone, unless an invalid one was typed, and what people
// spent this month.
func (d *dayPart) fill(r *http.Request, page *teamview.SpendingPage) error {
	zone, err := d.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	if page.Zone == nil {
		page.Zone = teamview.NewZone(zone.String())
	}
	if page.Rebuilding, err = d.settings.Rebuilding(r.Context()); err != nil {
		return err
	}
	start := spending.MonthOf(db.Now(), zone).Start()
	filter := spending.Filter{First: start.Unix() / (24 * 60 * 60), Last: start.AddDate(0, 1, -1).Unix() / (24 * 60 * 60)}
	if page.Apart, err = d.usage.Apart(r.Context(), filter); err != nil {
		return err
	}
	sums, err := d.usage.Spending(r.Context(), filter, spending.ByPerson)
	if err != nil || len(sums) == 0 {
		return err
	}
	users, err := d.accounts.Users(r.Context())
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

// Change is what a form has changed in a row: the sentence about it, and the form that
// undoes it.
type Change struct {
	Said, Path string
	Undo       url.Values
}

// maxNext limits, in bytes, the address of a page that is kept in a cookie.
const maxNext = 1000

// Answer leads back to the page with the row, which shows the sentence and offers to undo
// the change.
func Answer(w http.ResponseWriter, r *http.Request, pages *site.Pages, otherwise string, c Change) error {
	if c.Undo != nil {
		if next := r.PostFormValue("next"); next != "" && len(next) <= maxNext {
			c.Undo.Set("next", next)
		}
		if err := pages.LeaveChange(w, r, c.Path, c.Undo); err != nil {
			return err
		}
	}
	return pages.BackTo(w, r, otherwise, c.Said)
}
