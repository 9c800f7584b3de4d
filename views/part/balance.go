package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/spending"
)

// A Balance says in the bar at the top of a page what the viewer may still spend this
// month.
type Balance struct {
	Budget spending.Budget
	// Account is what is left in the account of the viewer's key, as far as the service
	// says so; it counts if nothing is limited.
	Account db.Credits
}

// left returns what the viewer may still spend. It is unknown if nothing limits that.
func (b Balance) left() db.Credits {
	if b.Budget.IsLimited() {
		return b.Budget.Left()
	}
	return b.Account
}

// After says what is left once so much is spent, or how much is missing; empty if that is
// not known.
func (b *Balance) After(spent db.Credits) string {
	if b == nil || !spent.Known || !b.left().Known {
		return ""
	}
	left := b.left().Amount
	if short := spent.Amount - left; short > 0 {
		return fmt.Sprintf("%s short: you have %s.", Amount(short), Number(left))
	}
	return fmt.Sprintf("%s left after this", Number(left-spent.Amount))
}

// low reports whether most of the limit is spent, or everything that is in the account.
func (b Balance) low() bool {
	if b.Budget.IsLimited() {
		return b.Budget.Tightest().Warning() > 0
	}
	return b.Account.Known && b.Account.Amount <= 0
}

// figure returns the amount that the bar shows: what is left or, without a limit, what was
// spent.
func (b Balance) figure() string {
	if left := b.left(); left.Known {
		return Number(left.Amount)
	}
	return Number(b.Budget.Spent)
}

// words returns the figure with its unit.
func (b Balance) words() string {
	if left := b.left(); left.Known {
		return Amount(left.Amount)
	}
	return fmt.Sprintf("%s spent", Number(b.Budget.Spent))
}

// name says in full what the figure is.
func (b Balance) name() string {
	switch left := b.left(); {
	case left.Known && b.Budget.IsLimited():
		return fmt.Sprintf("%s left this month", Amount(left.Amount))
	case left.Known:
		return fmt.Sprintf("%s left", Amount(left.Amount))
	}
	return fmt.Sprintf("%s spent this month, no limit", Number(b.Budget.Spent))
}

// balancePath returns the path to which the figure leads: what the team spends for admins,
// and their own limit for others.
func balancePath(u db.User) string {
	if u.IsAdmin() {
		return "/team/spending"
	}
	return "/limit"
}
