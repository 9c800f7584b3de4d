package db

import (
	"math"
	"strconv"
	"time"
)

// Credits is an amount in the service's currency that may be unknown. The zero
// value is "not known".
type Credits struct {
	Amount float64
	Known  bool
}

// CreditsOf returns a known amount.
func CreditsOf(amount float64) Credits { return Credits{amount, true} }

// String returns the amount in digits without needless zeros, or "not known".
func (c Credits) String() string {
	if !c.Known {
		return "not known"
	}
	if math.Abs(c.Amount) >= 1e15 {
		return strconv.FormatFloat(c.Amount, 'g', 3, 64) // no real amount is this large
	}
	return strconv.FormatFloat(c.Amount, 'f', -1, 64)
}

// EnoughFor returns how many videos the credits pay for at the price each. The
// number is unknown if either amount is, or if a video costs nothing.
func (c Credits) EnoughFor(each Credits) (videos int, known bool) {
	if !c.Known || !each.Known || each.Amount <= 0 {
		return 0, false
	}
	const rounding = 1e-9 // three times 0.1 is more than 0.3
	return int(min(math.MaxInt32, max(0, c.Amount/each.Amount+rounding))), true
}

// Paid returns the cost of the task as far as it is known now: the charge less the
// refund, or 0 if the service refused the task.
func (t Task) Paid() Credits {
	switch {
	case t.State == Rejected:
		return CreditsOf(0)
	case !t.Charged.Known:
		return Credits{}
	}
	return CreditsOf(t.Charged.Amount - t.Returned.Amount)
}

// repay records the refund of a task that has just ended without a video; paid is
// the charge that the service reported before. If the service now reports a smaller
// charge, the difference is the refund. Otherwise API.md promises: "A task that
// ends as failed is refunded in full." Nothing is recorded if the charge is
// unknown.
func repay(t *Task, paid Credits, now time.Time) {
	switch {
	case paid.Known && t.Charged.Amount < paid.Amount:
		back := min(paid.Amount, paid.Amount-t.Charged.Amount)
		t.Charged, t.Returned, t.ReturnedAt = paid, CreditsOf(back), now
	case t.State == Failed && !t.Filtered() && t.Charged.Known:
		t.Returned, t.ReturnedAt = t.Charged, now
	}
}

// RefundMissing reports whether a failed task was not fully refunded as far as is
// known: its charge is unknown, or the service's record still shows a part of it.
// A filtered video has none to come.
func (t Task) RefundMissing() bool {
	return t.State == Failed && !t.Filtered() && (!t.Returned.Known || t.Returned.Amount < t.Charged.Amount)
}
