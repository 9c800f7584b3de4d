package account_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/account"
	"dailies/web/htmltest"
)

func TestTheChartDrawsTheNumbersOfItsTable(t *testing.T) {
	first := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	spend := func(day int64, model string, amount float64) spending.Sum {
		return spending.Sum{Day: db.DayOf(first, time.UTC) + day - 1, Of: model, Paid: amount + 1, Refunded: 1, Videos: 1, Tasks: 2}
	}
	page := account.UsagePage{First: first, Choice: account.UsageChoice{Per: account.PerDay, By: spending.ByModel, Month: "2026-02"},
		Name: func(_ spending.Dimension, model string) string { return strings.ToUpper(model) }, Spent: []spending.Sum{
			spend(1, "b", 90), spend(1, "a", 60), spend(9, "c", 40),
			spend(28, "d", 5), spend(28, "e", 7.5), spend(28, "a", 50), spend(28, "f", 0),
		}}
	root := htmltest.Draw(t, account.UsageChart(page))
	if got, want := htmltest.Texts(root, ".legend li"), []string{"A", "B", "C", "Others"}; !slices.Equal(got, want) {
		t.Errorf("the series are %q", got)
	}
	if got, want := htmltest.Texts(root, ".yax span"), []string{"150", "100", "50", "0"}; !slices.Equal(got, want) {
		t.Errorf("the scale is %q", got)
	}
	if got, want := htmltest.Texts(root, "tbody tr"), []string{
		"1 February 60 90 0 0 150", "9 February 0 0 40 0 40", "28 February 50 0 0 12.5 62.5",
	}; !slices.Equal(got, want) {
		t.Errorf("the table says %q", got)
	}
	if n := len(htmltest.All(root, ".xax span")); n != 28 {
		t.Errorf("there are %d days", n)
	}
	for i, want := range []float64{150, 40, 62.5} {
		height := 0.0
		for _, rect := range htmltest.All(htmltest.All(root, ".bars g")[i], "rect") {
			h, err := strconv.ParseFloat(htmltest.Attr(rect, "height"), 64)
			if err != nil {
				t.Fatal(err)
			}
			height += h
		}
		if math.Abs(height-want/150*300) > .2 {
			t.Errorf("bar %d is %g high", i, height)
		}
	}
}

func TestAMonthWithoutCreditsHasAChart(t *testing.T) {
	root := htmltest.Draw(t, account.UsageChart(account.UsagePage{First: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}))
	if got := htmltest.Texts(root, ".yax span"); !slices.Equal(got, []string{"1", "0"}) || htmltest.Has(root, "rect") {
		t.Errorf("the scale is %q", got)
	}
}

func TestTheChartOfMonthsHasABarForEach(t *testing.T) {
	first := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	day := func(year int, month time.Month, d int) int64 {
		return db.DayOf(time.Date(year, month, d, 0, 0, 0, 0, time.UTC), time.UTC)
	}
	page := account.UsagePage{First: first, Choice: account.UsageChoice{Per: account.PerMonth, By: spending.ByKey}, Name: func(spending.Dimension, string) string { return "Marketing" },
		Spent: []spending.Sum{{Day: day(2025, 12, 31), Of: "1", Paid: 30}, {Day: day(2026, 1, 1), Of: "1", Paid: 20}, {Day: day(2026, 11, 30), Of: "1", Paid: 5}, {Day: day(2026, 11, 1), Of: "1", Paid: 5}}}
	root := htmltest.Draw(t, account.UsageChart(page))
	if got, want := htmltest.Texts(root, "tbody tr"), []string{"December 2025 30 30", "January 2026 20 20", "November 2026 10 10"}; !slices.Equal(got, want) {
		t.Errorf("the table says %q", got)
	}
	if n := len(htmltest.All(root, ".xax span")); n != 12 {
		t.Errorf("there are %d months", n)
	}
}

// The cost per video includes the attempts that made no video.
func TestSharesAddUp(t *testing.T) {
	page := account.UsagePage{Choice: account.UsageChoice{By: spending.ByPerson, Month: "2026-02", Picks: []account.UsagePick{{By: spending.ByPerson, Value: "2"}}},
		Name: func(_ spending.Dimension, id string) string { return map[string]string{"1": "Ann", "2": "Bo"}[id] }, Spent: []spending.Sum{
			{Day: 1, Of: "1", Paid: 90, Refunded: 30, Videos: 2, Tasks: 3}, {Day: 2, Of: "2", Paid: 30, Refunded: 30, Tasks: 1}, {Day: 3, Of: "1", Paid: 30, Videos: 1, Tasks: 1},
		}}
	root := htmltest.Draw(t, account.Shares(page))
	if got, want := append(htmltest.Texts(root, "tbody tr"), htmltest.Texts(root, "tfoot tr")...), []string{"Ann 3 4 120 30 90 30", "Bo 0 1 30 30 0 –", "Total 3 5 150 60 90 30"}; !slices.Equal(got, want) {
		t.Errorf("the table says %q", got)
	}
	if got := htmltest.Attr(htmltest.All(root, "tbody a")[0], "href"); got != "/usage?by=person&month=2026-02&who=2&who=1" {
		t.Errorf("the filter leads to %q", got)
	}
}

func TestManySharesAreOneTable(t *testing.T) {
	page := account.UsagePage{Choice: account.UsageChoice{By: spending.ByPerson}, Name: func(_ spending.Dimension, id string) string { return id }}
	for i := range 2000 {
		page.Spent = append(page.Spent, spending.Sum{Of: strconv.Itoa(i), Paid: 1, Tasks: 1})
	}
	rows := htmltest.Texts(htmltest.Draw(t, account.Shares(page)), "tbody tr")
	if len(rows) != 101 || rows[100] != "Others 0 1,900 1,900 0 1,900 –" {
		t.Errorf("%d rows, the last one %q", len(rows), rows[len(rows)-1])
	}
}

func TestAMonthIsOneRow(t *testing.T) {
	day := func(month time.Month, d int) int64 {
		return db.DayOf(time.Date(2026, month, d, 0, 0, 0, 0, time.UTC), time.UTC)
	}
	page := account.UsagePage{Everyone: true, Choice: account.UsageChoice{Per: account.PerDay, Month: "2026-11"}, Rows: account.UsageByMonth([]spending.Sum{
		{Day: day(10, 31), Of: "success", Videos: 2, Tasks: 2, Paid: 60},
		{Day: day(11, 1), Of: "failed", Tasks: 1, Paid: 30, Refunded: 30}, {Day: day(11, 1), Of: "success", Videos: 1, Tasks: 1, Paid: 30}, {Day: day(11, 30), Of: "success", Videos: 1, Tasks: 1, Paid: 12.5},
	})}
	root := htmltest.Draw(t, account.Months(page))
	if got, want := htmltest.Texts(root, "tbody tr"), []string{"November 2026 2 3 72.5 30 42.5 21.25", "October 2026 2 2 60 0 60 30"}; !slices.Equal(got, want) {
		t.Errorf("the table says %q", got)
	}
	if got := htmltest.Texts(root, "[aria-current]"); !slices.Equal(got, []string{"November 2026"}) {
		t.Errorf("the month that is drawn is %q", got)
	}
}
