package account

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/views/part"
)

// A UsagePage holds what was spent, month by month and in one month day by day:
// by the viewer, or for an admin by everybody.
type UsagePage struct {
	Rows     []db.Usage // newest month first
	Month    string     // that is shown day by day, such as "2026-11"
	Days     []db.DayUsage
	Name     func(model string) string
	Everyone bool
	Recent   []db.Task // the viewer's newest tasks, for the receipts
}

// total sums up the month that is shown, of all people.
func (p UsagePage) total() (sum db.Usage) {
	for _, r := range p.Rows {
		if r.Month == p.Month {
			sum.Videos, sum.Tasks, sum.Charged, sum.Returned = sum.Videos+r.Videos, sum.Tasks+r.Tasks, sum.Charged+r.Charged, sum.Returned+r.Returned
		}
	}
	return sum
}

func spent(u db.Usage) float64 { return u.Charged - u.Returned }

// The chart of a month: so many series, the last of which holds all other models
// where there are more; and the size of its drawing.
const (
	chartSeries = 4
	chartWidth  = 1000.0
	chartHeight = 300.0
)

// A chart draws the days of a month as bars, one series for each model.
type chart struct {
	Series []string // names, in the order of their colours
	Ticks  []string // from the top to 0
	Lines  []string // the heights of the ticks in the drawing
	Days   []chartDay
}

// A chartDay is one bar: what was spent with each series, and the rectangles
// that draw it.
type chartDay struct {
	Label   string // below the bar; mostly empty
	Date    string
	Total   float64
	Amounts []float64
	Bars    []chartBar
}

type chartBar struct{ Class, X, Y, Width, Height string }

// chart lays the month out.
func (p UsagePage) chart() chart {
	start, err := time.Parse("2006-01", p.Month)
	if err != nil {
		return chart{}
	}
	c, place := p.series()
	c.Days = make([]chartDay, start.AddDate(0, 1, -1).Day())
	for i := range c.Days {
		d := &c.Days[i]
		d.Date, d.Amounts = start.AddDate(0, 0, i).Format("2 January"), make([]float64, len(c.Series))
		if i%7 == 0 {
			d.Label = strconv.Itoa(i + 1)
		}
	}
	c.Days[0].Label = start.Format("2 Jan")
	for _, u := range p.Days {
		d := &c.Days[u.Day-1]
		d.Amounts[place[u.Model]] += u.Spent
		d.Total += u.Spent
	}
	c.draw()
	return c
}

// series chooses the models that get a colour of their own: those on which most
// was spent, by name, so that their colours stay while their order changes.
func (p UsagePage) series() (c chart, place map[string]int) {
	sums := map[string]float64{}
	var models []string
	for _, u := range p.Days {
		if sums[u.Model] == 0 {
			models = append(models, u.Model)
		}
		sums[u.Model] += u.Spent
	}
	slices.SortStableFunc(models, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	own := models
	if len(models) > chartSeries {
		own = models[:chartSeries-1]
	}
	slices.SortFunc(own, func(a, b string) int { return cmp.Compare(p.Name(a), p.Name(b)) })
	place = map[string]int{}
	for i, m := range models {
		place[m] = min(i, len(own))
		if i <= len(own) {
			c.Series = append(c.Series, p.Name(m))
		}
	}
	if len(c.Series) > len(own) {
		c.Series[len(own)] = "Others"
	}
	return c, place
}

// draw sets the ticks and the rectangles.
func (c *chart) draw() {
	step, top := 1.0, 0.0
	for _, d := range c.Days {
		top = max(top, d.Total)
	}
	for i := 0; top > 4*step; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10, 20, 50 …
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
			d.Bars = append(d.Bars, chartBar{"f" + strconv.Itoa(s+1), pixels(float64(i)*slot + slot*.18), pixels(y), pixels(slot * .64), pixels(height)})
		}
	}
}

func pixels(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }
