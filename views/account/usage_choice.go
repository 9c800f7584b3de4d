package account

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/part"
)

// The period that one bar of the chart shows.
const (
	PerDay   = "day"
	PerMonth = "month"
)

// Running is the outcome of videos that have not finished.
const Running = "running"

// A UsageChoice holds the choices on the usage page, as in its address.
type UsageChoice struct {
	Per   string             // PerDay or PerMonth
	By    spending.Dimension // what the bars are divided by
	Month string             // the month that is shown by day, such as "2026-11"
	Picks []UsagePick
}

// A UsagePick is one value of a filter.
type UsagePick struct {
	By    spending.Dimension
	Value string // as in spending.Sum.Of
}

// PickName returns the name of the query parameter for the filter.
func PickName(by spending.Dimension) string {
	if by == spending.ByPerson {
		return "who"
	}
	return string(by)
}

// query returns the choice as the query of an address.
func (c UsageChoice) query() string {
	q := url.Values{}
	if c.Per == PerMonth {
		q.Set("per", PerMonth)
	} else if c.Month != "" {
		q.Set("month", c.Month)
	}
	if c.By != spending.ByModel && c.By != "" {
		q.Set("by", string(c.By))
	}
	for _, p := range c.Picks {
		q.Add(PickName(p.By), p.Value)
	}
	return q.Encode()
}

// path returns the address of the page with the choice.
func (c UsageChoice) path() string { return strings.TrimSuffix("/usage?"+c.query(), "?") }

// export returns the address of the CSV file with these choices.
func (c UsageChoice) export() string {
	c.By = ""
	return strings.TrimSuffix("/usage.csv?"+c.query(), "?")
}

// Said describes the filters of an export for the audit log.
func (c UsageChoice) Said() string {
	c.By = ""
	text, err := url.QueryUnescape(c.query())
	if err != nil || text == "" {
		return "everything"
	}
	return text
}

func (c UsageChoice) ofMonth(month string) string { c.Per, c.Month = PerDay, month; return c.path() }

func (c UsageChoice) perMonth() string { c.Per = PerMonth; return c.path() }

func (c UsageChoice) dividedBy(by spending.Dimension) string { c.By = by; return c.path() }

// adding returns the address with one more filter; empty if that is set already.
func (c UsageChoice) adding(of string) string {
	pick := UsagePick{c.By, of}
	if slices.Contains(c.Picks, pick) {
		return ""
	}
	c.Picks = append(slices.Clone(c.Picks), pick)
	return c.path()
}

// without returns the address without the filter.
func (c UsageChoice) without(pick UsagePick) string {
	c.Picks = slices.DeleteFunc(slices.Clone(c.Picks), func(p UsagePick) bool { return p == pick })
	return c.path()
}

func (c UsageChoice) withoutAll() string { c.Picks = nil; return c.path() }

// dimensionName names what the usage is divided by.
func dimensionName(by spending.Dimension) string {
	switch by {
	case spending.ByPerson:
		return "Person"
	case spending.ByKey:
		return "Key"
	case spending.ByOutcome:
		return "Outcome"
	}
	return "Model"
}

// KeyName returns the display name of a team's key. An empty name stands for the
// users' own keys.
func KeyName(name string) string { return cmp.Or(name, "Own keys") }

// TeamKeyName returns the display name of a team's key that may be deleted.
func TeamKeyName(name string, deleted bool) string {
	if deleted {
		return fmt.Sprintf("%s (deleted)", name)
	}
	return name
}

// UnknownPerson names a person of whom only the ID is known.
func UnknownPerson(id string) string { return fmt.Sprintf("Person %s", id) }

// UnknownKey names a key of which only the ID is known.
func UnknownKey(id string) string { return fmt.Sprintf("Key %s", id) }

// OutcomeName returns the display name of an outcome.
func OutcomeName(outcome string) string {
	if outcome == Running {
		return "In progress"
	}
	return part.StateName(db.State(outcome))
}

// UsageByMonth sums up the days of each month, newest month first.
func UsageByMonth(days []spending.Sum) []MonthlySpending {
	sums := map[string]spending.Sum{}
	for _, d := range days {
		month := db.MonthOf(d.Day)
		sums[month] = sums[month].Plus(d)
	}
	var months []MonthlySpending
	for _, month := range slices.Backward(slices.Sorted(maps.Keys(sums))) {
		months = append(months, MonthlySpending{month, sums[month]})
	}
	return months
}
