// Package money serves what is spent, on which days and by whom.
package money

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/spending"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Money is the room of what was spent.
type Money struct {
	accounts *people.Accounts
	audit    *people.Audit
	catalog  *videoapi.Catalog
	guard    *site.Guard
	keys     *people.Keys
	log      *slog.Logger
	pages    *site.Pages
	search   *video.Search
	settings *people.Settings
	usage    *video.Usage
}

// New returns the room.
func New(s *site.Site) *Money {
	return &Money{
		accounts: s.Store.Accounts, audit: s.Store.Audit, catalog: s.Catalog, guard: s.Guard, keys: s.Store.Keys, log: s.Log,
		pages: s.Pages, search: s.Store.Search, settings: s.Store.Settings, usage: s.Store.Usage,
	}
}

// Routes returns the room's rows.
func (m *Money) Routes() []site.Route {
	return []site.Route{
		site.On("GET /usage", m.guard.SignedIn, m.Show, site.ForViewers).At("", "?per=month&by=key").
			Gets(200, "", "?per=month&by=key&who=2&key=x&outcome=junk&model=veo3&month=soon"),
		site.On("GET /usage.csv", m.guard.SignedIn, m.Export, site.ForViewers).Gets(200, "?month=2026-11&who=1"),
	}
}

// usageMonths limits how many months back the page shows.
const usageMonths = 12

// shownReceipts limits how many receipts the page lists.
const shownReceipts = 10

// Show shows what was spent: everybody's spending to an admin, to others their own. The
// chart shows the newest month, or the period in the URL.
func (m *Money) Show(w http.ResponseWriter, r *http.Request) error {
	viewer, ctx := site.Me(r), r.Context()
	choice, filter, err := m.choice(r, true)
	if err != nil {
		return err
	}
	page := accountview.UsagePage{Choice: choice, Everyone: viewer.IsAdmin()}
	year, err := m.usage.MonthlySpending(ctx, filter)
	if err != nil {
		return err
	}
	if page.OtherCredits, err = m.usage.OtherCredits(ctx, filter); err != nil {
		return err
	}
	if err := m.fillNames(r, &page); err != nil {
		return err
	}
	page.Rows = accountview.UsageByMonth(year)
	if choice.Per == accountview.PerMonth {
		page.First = time.Unix(filter.First*24*60*60, 0).UTC()
	} else if page.Choice.Month, filter = shownMonth(page, filter); page.Choice.Month != "" {
		page.First, _ = time.Parse("2006-01", page.Choice.Month)
	}
	if page.Spent, err = m.usage.Spending(ctx, filter, choice.By); err != nil {
		return err
	}
	mine := gallery.Filter{Viewer: viewer.ID, Makers: []int64{viewer.ID}, States: []db.State{gallery.AnyState}, Limit: shownReceipts}
	if page.Recent, err = m.search.Tasks(ctx, mine); err != nil {
		return err
	}
	return m.pages.Draw(w, r, http.StatusOK, "Usage", accountview.ShowUsage(page))
}

// shownMonth returns the month that the chart shows day by day, and the filter for its
// days. It is the newest month with spending if the URL names none.
func shownMonth(page accountview.UsagePage, f spending.Filter) (string, spending.Filter) {
	month := page.Choice.Month
	if month == "" && len(page.Rows) > 0 {
		month = page.Rows[0].Month
	}
	if start, err := time.Parse("2006-01", month); err == nil {
		f.First, f.Last = db.DayOf(start, time.UTC), db.DayOf(start.AddDate(0, 1, -1), time.UTC)
	}
	return month, f
}

// fillNames fills in the names of people, models, keys and outcomes.
func (m *Money) fillNames(r *http.Request, page *accountview.UsagePage) error {
	people, keys := map[string]string{}, map[string]string{}
	if page.Everyone {
		users, err := m.accounts.Users(r.Context())
		if err != nil {
			return err
		}
		for _, user := range users {
			people[strconv.FormatInt(user.ID, 10)] = part.Person(user)
		}
	} else {
		people[strconv.FormatInt(site.Me(r).ID, 10)] = site.Me(r).Name
	}
	teams, err := m.keys.TeamKeys(r.Context())
	for _, k := range teams {
		keys[strconv.FormatInt(k.TeamKeyID, 10)] = accountview.TeamKeyName(k.Name, !k.DeletedAt.IsZero())
	}
	page.Name = func(by spending.Dimension, of string) string {
		switch by {
		case spending.ByPerson:
			return cmp.Or(people[of], accountview.UnknownPerson(of))
		case spending.ByKey:
			if of == "0" {
				return accountview.KeyName("")
			}
			return cmp.Or(keys[of], accountview.UnknownKey(of))
		case spending.ByOutcome:
			return accountview.OutcomeName(of)
		}
		return m.catalog.Name(of)
	}
	return err
}

// maxPicks limits how many values of one filter a URL can have.
const maxPicks = 20

// choice reads the filters from the URL. With newest, a URL without a period selects
// the last twelve months, of which the page shows one. Invalid values are ignored.
func (m *Money) choice(r *http.Request, newest bool) (accountview.UsageChoice, spending.Filter, error) {
	zone, err := m.settings.TimeZone(r.Context())
	if err != nil {
		return accountview.UsageChoice{}, spending.Filter{}, err
	}
	c := readUsageChoice(r.URL.Query(), site.Me(r).IsAdmin())
	f := filterOf(c)
	if !site.Me(r).IsAdmin() {
		f.People = []int64{site.Me(r).ID}
	}
	now := db.Now().In(zone)
	year := time.Date(now.Year(), now.Month()-usageMonths+1, 1, 0, 0, 0, 0, time.UTC)
	if month, err := time.Parse("2006-01", c.Month); err == nil && !newest {
		f.First, f.Last = db.DayOf(month, time.UTC), db.DayOf(month.AddDate(0, 1, -1), time.UTC)
	} else if newest || c.Per == accountview.PerMonth {
		f.First = db.DayOf(year, time.UTC)
	}
	return c, f, nil
}

// readUsageChoice parses the query. A filter's parameter is repeated for each of its
// values.
func readUsageChoice(q url.Values, everyone bool) accountview.UsageChoice {
	c := accountview.UsageChoice{Per: accountview.PerDay, By: spending.ByModel}
	if q.Get("per") == accountview.PerMonth {
		c.Per = accountview.PerMonth
	}
	if month, err := time.Parse("2006-01", q.Get("month")); err == nil && month.Year() >= 2000 && c.Per == accountview.PerDay {
		c.Month = q.Get("month")
	}
	if by := spending.Dimension(q.Get("by")); slices.Contains(spending.Dimensions(), by) && (everyone || by != spending.ByPerson) {
		c.By = by
	}
	for _, by := range spending.Dimensions() {
		if by == spending.ByPerson && !everyone {
			continue
		}
		n := 0
		for _, text := range q[accountview.PickName(by)] {
			pick := accountview.UsagePick{By: by, Value: canonicalPick(by, text)}
			if pick.Value != "" && n < maxPicks && !slices.Contains(c.Picks, pick) {
				c.Picks = append(c.Picks, pick)
				n++
			}
		}
	}
	return c
}

// canonicalPick returns the canonical form of a filter's value, empty if it is invalid.
func canonicalPick(by spending.Dimension, text string) string {
	switch by {
	case spending.ByPerson:
		if id := site.ParseID(text); id != 0 {
			return strconv.FormatInt(id, 10)
		}
		return ""
	case spending.ByKey:
		if id := site.ParseID(text); id != 0 || text == "0" {
			return strconv.FormatInt(id, 10)
		}
		return ""
	case spending.ByOutcome:
		if text != accountview.Running && (!slices.Contains(db.States(), db.State(text)) || db.State(text).Running()) {
			return ""
		}
	}
	return site.Clip(site.PlainText(text), 200)
}

// filterOf returns the filter for the chosen values, without a period.
func filterOf(c accountview.UsageChoice) (f spending.Filter) {
	for _, p := range c.Picks {
		switch p.By {
		case spending.ByPerson:
			f.People = append(f.People, site.ParseID(p.Value))
		case spending.ByKey:
			f.Keys = append(f.Keys, site.ParseID(p.Value))
		case spending.ByModel:
			f.Models = append(f.Models, p.Value)
		case spending.ByOutcome:
			f.Outcomes = append(f.Outcomes, p.Value)
		}
	}
	return f
}
