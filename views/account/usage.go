package account

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/part"
)

// A UsagePage holds the spending of the viewer or, for an admin, of the whole
// team: by month, and by day in one month.
type UsagePage struct {
	Choice   UsageChoice
	Rows     []MonthlySpending // of the last twelve months, newest first
	Spent    []spending.Sum    // what the chart shows, divided as chosen
	First    time.Time         // the first day of the chart; zero without a chart
	Name     func(by spending.Dimension, of string) string
	Everyone bool
	Recent   []db.Task // the viewer's newest tasks, for the receipts
	// OtherCredits is what was spent in the other kind of credits, practice or real, in the last
	// twelve months.
	OtherCredits spending.OtherCredits
}

// A MonthlySpending holds the spending of a month, such as "2026-11".
type MonthlySpending struct {
	Month string
	spending.Sum
}

// total returns the sum of what the chart shows.
func (p UsagePage) total() (sum spending.Sum) {
	for _, s := range p.Spent {
		sum = sum.Plus(s)
	}
	return sum
}

// shares returns the sum for each value that the usage is divided by, such as
// each model, in descending order of spending. All after the first hundred are
// added up under the name "Others".
func (p UsagePage) shares() []spending.Sum {
	const most = 100
	sums := map[string]spending.Sum{}
	for _, s := range p.Spent {
		sum := sums[s.Of].Plus(s)
		sum.Of = s.Of
		sums[s.Of] = sum
	}
	var list []spending.Sum
	for _, s := range sums {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b spending.Sum) int {
		return cmp.Or(cmp.Compare(b.Spent(), a.Spent()), cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(
			p.Name(p.Choice.By, a.Of), p.Name(p.Choice.By, b.Of),
		))
	})
	if len(list) > most {
		others := spending.Sum{Of: otherShares}
		for _, s := range list[most:] {
			others = others.Plus(s)
		}
		list = append(list[:most:most], others)
	}
	return list
}

// otherShares stands for all values without a row or colour of their own.
const otherShares = "\x00others"

// name returns the display name of a value that the usage is divided by.
func (p UsagePage) name(of string) string {
	if of == otherShares {
		return "Others"
	}
	return p.Name(p.Choice.By, of)
}

// perVideo returns the cost of each finished video, failed attempts included, but not videos
// in progress; a dash if there is none.
func perVideo(s spending.Sum) string {
	credits, ok := s.PerVideo()
	if !ok {
		return "–"
	}
	return part.Number(credits)
}

// apartTitle names the credits that do not count now.
func apartTitle(practice bool) string {
	if practice {
		return "Practice mode"
	}
	return "Real credits"
}

// apartHint says that they are not part of the other figures.
func apartHint(practice bool) string {
	if practice {
		return "not real credits, and not counted above"
	}
	return "not counted above, in practice mode"
}

// span names the period of the chart.
func (p UsagePage) span() string {
	if p.Choice.Per == PerMonth {
		return "the last twelve months"
	}
	return part.Month(p.Choice.Month)
}

// title returns the title of the chart.
func (p UsagePage) title() string {
	if p.Choice.Per == PerMonth {
		return "Credits spent per month"
	}
	return fmt.Sprintf("Credits spent per day, %s", part.Month(p.Choice.Month))
}

// periodName names the period that one bar shows.
func periodName(per string) string {
	if per == PerMonth {
		return "Month"
	}
	return "Day"
}

// The maximum number of series in a chart, the last of which sums up all others
// if there are more, and the size of its drawing.
const (
	chartSeries = 4
	chartWidth  = 1000.0
	chartHeight = 300.0
)

// A chart shows days or months as stacked bars, with one series for each model,
// person, key or outcome.
type chart struct {
	Series []string // names, in the order of the colours
	Ticks  []string // labels of the axis, from the top down to 0
	Lines  []string // y coordinates of the ticks
	Days   []chartDay
}

// A chartDay is one bar, of a day or a month: the credits spent in each series,
// and the rectangles that draw them.
type chartDay struct {
	Label   string // below the bar; empty for most
	Date    string
	Total   float64
	Amounts []float64
	Bars    []chartBar
}

type chartBar struct{ Class, X, Y, Width, Height string }

// months is the number of bars in a chart by month.
const months = 12

// chart lays out the days of the month, or the months.
func (p UsagePage) chart() chart {
	if p.First.IsZero() {
		return chart{}
	}
	c, place := p.series()
	if p.Choice.Per == PerMonth {
		c.Days = make([]chartDay, months)
	} else {
		c.Days = make([]chartDay, p.First.AddDate(0, 1, -1).Day())
	}
	for i := range c.Days {
		d := &c.Days[i]
		d.Amounts = make([]float64, len(c.Series))
		if p.Choice.Per == PerMonth {
			at := p.First.AddDate(0, i, 0)
			if d.Date = at.Format("January 2006"); i%2 == 1 { // the last bar is labelled, and all labels fit on a phone
				d.Label = at.Format("Jan")
			}
			continue
		}
		d.Date = p.First.AddDate(0, 0, i).Format("2 January")
		if i%7 == 0 {
			d.Label = strconv.Itoa(i + 1)
		}
	}
	if p.Choice.Per != PerMonth {
		c.Days[0].Label = p.First.Format("2 Jan")
	}
	for _, s := range p.Spent {
		if i := p.slot(s.Day); s.Spent() > 0 && i >= 0 && i < len(c.Days) {
			c.Days[i].Amounts[place[s.Of]] += s.Spent()
			c.Days[i].Total += s.Spent()
		}
	}
	c.draw()
	return c
}

// slot returns the index of the bar for a day, given as days since 1970.
func (p UsagePage) slot(day int64) int {
	if p.Choice.Per != PerMonth {
		return int(day - db.DayOf(p.First, time.UTC))
	}
	at := time.Unix(day*24*60*60, 0).UTC()
	return (at.Year()-p.First.Year())*12 + int(at.Month()) - int(p.First.Month())
}

// series chooses the values that get a colour of their own: those with the
// highest spending. It sorts them by name, so that colours remain when the order
// by spending changes. place is the index of the series by value.
func (p UsagePage) series() (c chart, place map[string]int) {
	sums := map[string]float64{}
	var all []string
	for _, s := range p.Spent {
		if s.Spent() <= 0 {
			continue
		}
		if sums[s.Of] == 0 {
			all = append(all, s.Of)
		}
		sums[s.Of] += s.Spent()
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	own := all
	if len(all) > chartSeries {
		own = all[:chartSeries-1]
	}
	slices.SortFunc(own, func(a, b string) int { return cmp.Compare(p.name(a), p.name(b)) })
	place = map[string]int{}
	for i, of := range all {
		place[of] = min(i, len(own))
		if i <= len(own) {
			c.Series = append(c.Series, p.name(of))
		}
	}
	if len(c.Series) > len(own) {
		c.Series[len(own)] = "Others"
	}
	return c, place
}

// draw computes the ticks and the rectangles.
func (c *chart) draw() {
	step, top := 1.0, 0.0
	for _, d := range c.Days {
		top = max(top, d.Total)
	}
	for i := 0; top > 4*step; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // gives 1, 2, 5, 10, 20, 50 …
	}
	steps := max(1, math.Ceil(top/step))
	for n := steps; n >= 0; n-- {
		c.Ticks = append(c.Ticks, part.Number(n*step))
		c.Lines = append(c.Lines, pixels(chartHeight-n/steps*chartHeight))
	}
	slot := chartWidth / float64(len(c.Days))
	for i := range c.Days {
		d, y := &c.Days[i], chartHeight
		for s, amount := range d.Amounts {
			if amount == 0 {
				continue
			}
			height := amount / (steps * step) * chartHeight
			y -= height
			d.Bars = append(d.Bars, chartBar{
				"f" + strconv.Itoa(s+1), pixels(float64(i)*slot + slot*.18), pixels(y), pixels(slot * .64), pixels(height),
			})
		}
	}
}

func pixels(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

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
