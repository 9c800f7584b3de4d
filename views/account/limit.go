package account

import (
	"fmt"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/input"
	"dailies/views/part"
)

// NewSelf returns the field for the lower limit that the viewer sets.
func NewSelf(limit db.Credits) *input.Credits {
	const wrong = "Enter a number, such as 200. Empty for none."
	self := input.CreditsIn("self", "Set a lower limit for yourself", limit, input.Valid("credits", wrong))
	self.Hint, self.Focus = "Credits a month. Empty for none.", input.OnError
	return &self
}

// creditsLeft says how many credits are left.
func creditsLeft(budget spending.Budget) string {
	b := budget.Tightest()
	if b.Whose == spending.Nobody {
		return "No limit"
	}
	return fmt.Sprintf("%s of %s credits left", part.Number(b.Left), part.Number(b.Limit))
}

// A bar shows one limit and how much of it has been spent.
type bar struct {
	Name  string
	Limit float64
	Spent float64
}

// limitBars returns a bar for each limit that is set.
func limitBars(budget spending.Budget) (bars []bar) {
	add := func(name string, limit db.Credits, spent float64) {
		if limit.Known {
			bars = append(bars, bar{name, limit.Amount, spent})
		}
	}
	add("Your limit", budget.Limit, budget.Spent)
	add("Your own lower limit", budget.Self, budget.Spent)
	add("The whole team", budget.Team, budget.TeamHas)
	return bars
}
