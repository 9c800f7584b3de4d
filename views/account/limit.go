package account

import (
	"fmt"

	"dailies/db"
	"dailies/db/spending"
	"dailies/views/input"
	"dailies/views/part"
)

// A LimitPage shows how much the viewer may still spend.
type LimitPage struct {
	Budget         spending.Budget
	CreditRequest  part.CreditRequestForm
	CreditRequests []spending.CreditRequest // the viewer's requests to spend more, newest first
}

// NewSelf returns the field for the lower limit that the viewer sets.
func NewSelf(limit db.Credits) *input.Credits {
	const wrong = "Enter a number, such as 200. Empty for none."
	self := input.CreditsIn("self", "Set a lower limit for yourself", limit, input.Valid("credits", wrong))
	self.Hint, self.Focus = "Credits a month. Empty for none.", input.OnError
	return &self
}

// heading says how many credits are left.
func (p LimitPage) heading() string {
	b := p.Budget.Tightest()
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

// bars returns a bar for each limit that is set.
func (p LimitPage) bars() (bars []bar) {
	add := func(name string, limit db.Credits, spent float64) {
		if limit.Known {
			bars = append(bars, bar{name, limit.Amount, spent})
		}
	}
	add("Your limit", p.Budget.Limit, p.Budget.Spent)
	add("Your own lower limit", p.Budget.Self, p.Budget.Spent)
	add("The whole team", p.Budget.Team, p.Budget.TeamHas)
	return bars
}
