package account

import (
	"cmp"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

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

// Usage shows what was spent.
type Usage struct {
	log      *slog.Logger
	names    *usageNames
	pages    *site.Pages
	search   *video.Search
	expenses *expenses
}

// NewUsage returns the handlers of what was spent.
func NewUsage(s *site.Site) *Usage {
	return &Usage{
		log: s.Log, pages: s.Pages, search: s.Store.Search,
		names:    &usageNames{accounts: s.Store.Accounts, catalog: s.Catalog, keys: s.Store.Keys},
		expenses: &expenses{audit: s.Store.Audit, settings: s.Store.Settings, usage: s.Store.Usage},
	}
}

// expenses reads what was spent, within the choices of the page.
type expenses struct {
	audit    *people.Audit
	settings *people.Settings
	usage    *video.Usage
}

// usageNames knows the names of those that credits were spent for.
type usageNames struct {
	accounts *people.Accounts
	catalog  *videoapi.Catalog
	keys     *people.Keys
}

// usageMonths limits how many months back the page shows.
const usageMonths = 12

// shownReceipts limits how many receipts the page lists.
const shownReceipts = 10

// Show shows what was spent: everybody's spending to an admin, to others their own. The
// chart shows the newest month, or the period in the URL.
func (u *Usage) Show(w http.ResponseWriter, r *http.Request) error {
	viewer, ctx := site.Me(r), r.Context()
	choice, filter, err := u.choice(r, true)
	if err != nil {
		return err
	}
	page := accountview.UsagePage{Choice: choice, Everyone: viewer.IsAdmin()}
	year, err := u.expenses.usage.MonthlySpending(ctx, filter)
	if err != nil {
		return err
	}
	if page.Apart, err = u.expenses.usage.Apart(ctx, filter); err != nil {
		return err
	}
	if err := u.names.fill(r, &page); err != nil {
		return err
	}
	page.Rows = accountview.UsageByMonth(year)
	if choice.Per == accountview.PerMonth {
		page.First = time.Unix(filter.First*24*60*60, 0).UTC()
	} else if page.Choice.Month, filter = shownMonth(page, filter); page.Choice.Month != "" {
		page.First, _ = time.Parse("2006-01", page.Choice.Month)
	}
	if page.Spent, err = u.expenses.usage.Spending(ctx, filter, choice.By); err != nil {
		return err
	}
	mine := gallery.Filter{Viewer: viewer.ID, Makers: []int64{viewer.ID}, States: []db.State{gallery.AnyState}, Limit: shownReceipts}
	if page.Recent, err = u.search.Tasks(ctx, mine); err != nil {
		return err
	}
	return u.pages.Draw(w, r, http.StatusOK, "Usage", func(f part.Frame) templ.Component { return accountview.ShowUsage(f, page) })
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

// fill fills in the names of people, models, keys and outcomes.
func (u *usageNames) fill(r *http.Request, page *accountview.UsagePage) error {
	people, keys := map[string]string{}, map[string]string{}
	if page.Everyone {
		users, err := u.accounts.Users(r.Context())
		if err != nil {
			return err
		}
		for _, user := range users {
			people[strconv.FormatInt(user.ID, 10)] = part.Person(user)
		}
	} else {
		people[strconv.FormatInt(site.Me(r).ID, 10)] = site.Me(r).Name
	}
	teams, err := u.keys.TeamKeys(r.Context())
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
		return u.catalog.Name(of)
	}
	return err
}
