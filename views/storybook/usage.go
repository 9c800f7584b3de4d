package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/account"
)

// Usage returns a team's usage page for one month, by model, with a filter.
func Usage() account.UsagePage {
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	spend := func(day int64, model string, paid, refunded float64) spending.Sum {
		return spending.Sum{Day: db.DayOf(first, time.UTC) + day - 1, Of: model, Videos: 1, Tasks: 2, Paid: paid, Refunded: refunded}
	}
	return account.UsagePage{
		Choice: account.UsageChoice{
			Per: account.PerDay, By: spending.ByModel, Month: "2026-11",
			Picks: []account.UsagePick{{By: spending.ByOutcome, Value: "success"}},
		},
		First: first, Everyone: true,
		Name: func(by spending.Dimension, of string) string {
			if by == spending.ByOutcome {
				return account.OutcomeName(of)
			}
			return of
		},
		Rows: []account.MonthlySpending{
			{Month: "2026-11", Sum: spending.Sum{Videos: 53, Tasks: 59, Paid: 1782.5, Refunded: 120}},
			{Month: "2026-10", Sum: spending.Sum{Videos: 9, Tasks: 11, Paid: 330, Refunded: 60}},
		},
		Spent: []spending.Sum{
			spend(1, "Seedance 2.0", 90, 30), spend(1, "Veo 3.1", 60, 0), spend(7, "Seedance 2.0", 240, 0), spend(9, "Kling", 5, 0),
			spend(9, "Wan", 8, 0), spend(9, "Pixverse", 12, 12), spend(22, "Seedance 2.0", 120, 0),
		},
	}
}
