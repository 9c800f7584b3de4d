package account

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// maxPicks limits how many values of one filter a URL can have.
const maxPicks = 20

// choice reads the filters from the URL. With newest, a URL without a period selects
// the last twelve months, of which the page shows one. Invalid values are ignored.
func (u *Usage) choice(r *http.Request, newest bool) (accountview.UsageChoice, spending.Filter, error) {
	zone, err := u.expenses.settings.TimeZone(r.Context())
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
