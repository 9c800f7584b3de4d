package account_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"dailies/db"
	"dailies/views/account"
	"dailies/web/htmltest"
)

func TestTheChartDrawsTheNumbersOfItsTable(t *testing.T) {
	page := account.UsagePage{Month: "2026-02", Name: func(model string) string { return "Model " + model }, Days: []db.DayUsage{
		{Day: 1, Model: "b", Spent: 90}, {Day: 1, Model: "a", Spent: 60}, {Day: 9, Model: "c", Spent: 40},
		{Day: 28, Model: "d", Spent: 5}, {Day: 28, Model: "e", Spent: 7.5}, {Day: 28, Model: "a", Spent: 50},
	}}
	root := htmltest.Draw(t, account.UsageChart(page))
	if got, want := htmltest.Texts(root, ".legend li"), []string{"Model a", "Model b", "Model c", "Others"}; !slices.Equal(got, want) {
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
	root := htmltest.Draw(t, account.UsageChart(account.UsagePage{Month: "2026-11"}))
	if got := htmltest.Texts(root, ".yax span"); !slices.Equal(got, []string{"1", "0"}) || htmltest.Has(root, "rect") {
		t.Errorf("the scale is %q", got)
	}
}
