package part

import (
	"cmp"
	"fmt"
	"math"

	"dailies/db/spending"
)

// Reservation returns the credits that limits reserve for one video until the actual cost is
// known: the price, or 0 if it is not known.
func (p Price) Reservation() float64 {
	if p.Credits.Known {
		return p.Credits.Amount
	}
	return 0
}

// likely returns what one video is likely to cost, even if only videos with other options
// tell; 0 if nobody knows.
func (p Price) likely() float64 { return cmp.Or(p.Credits, p.Estimate.Typical).Amount }

// LikelyInAll returns what all the videos are likely to cost.
func (p Price) LikelyInAll() float64 { return p.inAll(Price.likely) }

// inAll adds up the amounts of all the videos.
func (p Price) inAll(of func(Price) float64) float64 {
	if p.Mixed == nil {
		return of(p) * float64(p.Videos())
	}
	var sum float64
	for _, g := range p.Mixed {
		sum += g.inAll(of)
	}
	return math.Round(sum*1e6) / 1e6
}

// needed returns how much the limits have to leave for the videos. Of those whose price is
// not known, something has to be left.
func (p Price) needed() float64 {
	cost := p.inAll(Price.Reservation)
	if !p.Credits.Known {
		cost += spending.Least
	}
	return cost
}

// OverLimit says why the limits do not allow the videos, empty if they do.
func (p Price) OverLimit() string { return p.over(p.needed()) }

// OverBy is like OverLimit, for videos that count with another amount than their price,
// because the last ones like them were dearer.
func (p Price) OverBy(cost float64) string { return p.over(max(p.needed(), cost)) }

func (p Price) over(cost float64) string {
	if !p.Credits.Known && p.Budget.NeedsApproval {
		return "This has no fixed price, so an admin has to say yes first."
	}
	if fits, _ := p.Budget.Allows(cost); fits {
		return ""
	}
	lacking := cost - p.Budget.Tightest().Left
	if !p.Credits.Known {
		lacking -= spending.Least
	}
	switch {
	case lacking <= 0:
		return limitReached.of(p.Budget)
	case p.Stated:
		return creditsShort.of(p.Budget, Amount(lacking))
	}
	return aboutShort.of(p.Budget, Amount(lacking))
}

// budgetNote says how much the limits leave.
func (p Price) budgetNote() string {
	if _, once := p.Budget.Allows(p.needed()); once && p.OverLimit() == "" {
		return "allowed once by an admin"
	}
	return budgetLeft.of(p.Budget)
}

// A budgetSentence says how much the tightest limit leaves, with one sentence for each
// limit. The first two values are what is left and the limit.
type budgetSentence struct{ person, team, own string }

var (
	budgetLeft = budgetSentence{
		person: "%s of %s left this month",
		team:   "%s of %s left this month for the team",
		own:    "%s of %s left this month, by your own limit",
	}
	limitReached = budgetSentence{
		person: "You’ve reached your limit: %s of %s left this month.",
		team:   "The team has reached its limit: %s of %s left this month.",
		own:    "You’ve reached your own limit: %s of %s left this month.",
	}
	creditsShort = budgetSentence{
		person: "%[3]s short: %[1]s of %[2]s left this month.",
		team:   "%[3]s short: the team has %[1]s of %[2]s left this month.",
		own:    "%[3]s short: your own limit leaves %[1]s of %[2]s this month.",
	}
	aboutShort = budgetSentence{
		person: "About %[3]s short: %[1]s of %[2]s left this month.",
		team:   "About %[3]s short: the team has %[1]s of %[2]s left this month.",
		own:    "About %[3]s short: your own limit leaves %[1]s of %[2]s this month.",
	}
)

// of returns the sentence for the tightest limit of the budget.
func (s budgetSentence) of(r spending.Budget, more ...any) string {
	b, sentence := r.Tightest(), s.person
	switch b.Whose {
	case spending.Teams:
		sentence = s.team
	case spending.Person:
		sentence = s.own
	}
	return fmt.Sprintf(sentence, append([]any{Number(b.Left), Number(b.Limit)}, more...)...)
}
