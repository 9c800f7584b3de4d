package account

import (
	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
)

// A LimitPage shows somebody what they may still spend.
type LimitPage struct {
	Room   team.Room
	Self   string // the lower limit that they want, as typed
	Errors part.Errors
	Ask    part.AskForm
	Asks   []team.Ask // the newest first
}

// heading says what is left.
func (p LimitPage) heading() string {
	b := p.Room.Tightest()
	if b.Whose == team.Nobody {
		return "There is no limit to what you spend."
	}
	return part.Number(b.Left) + " of " + part.Number(b.Limit) + " credits left"
}

// A bar is one limit, and how much of it is spent.
type bar struct {
	Name  string
	Limit float64
	Spent float64
}

// bars returns the limits that there are.
func (p LimitPage) bars() (bars []bar) {
	add := func(name string, limit db.Credits, spent float64) {
		if limit.Known {
			bars = append(bars, bar{name, limit.Amount, spent})
		}
	}
	add("Your limit", p.Room.Limit, p.Room.Spent)
	add("The limit that you set yourself", p.Room.Self, p.Room.Spent)
	add("The whole team", p.Room.Team, p.Room.TeamHas)
	return bars
}
