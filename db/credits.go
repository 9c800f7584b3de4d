package db

import (
	"math"
	"strconv"
	"time"
)

// Credits is an amount of the service's money that may not be known. The zero
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
		return strconv.FormatFloat(c.Amount, 'g', 3, 64) // nobody means that
	}
	return strconv.FormatFloat(c.Amount, 'f', -1, 64)
}

// EnoughFor returns how many videos the credits pay for at this price each. It is
// not known where either is not, or where a video costs nothing.
func (c Credits) EnoughFor(each Credits) (videos int, known bool) {
	if !c.Known || !each.Known || each.Amount <= 0 {
		return 0, false
	}
	const rounding = 1e-9 // three times 0.1 is more than 0.3
	return int(min(math.MaxInt32, max(0, c.Amount/each.Amount+rounding))), true
}

// Paid returns what the task costs in the end, as far as is known now: what was
// charged without what came back, 0 for one that the service refused.
func (t Task) Paid() Credits {
	switch {
	case t.State == Rejected:
		return CreditsOf(0)
	case !t.Charged.Known:
		return Credits{}
	}
	return CreditsOf(t.Charged.Amount - t.Returned.Amount)
}

// repay records the refund of a task that just ended without a video. Paid is
// what the service had said that it took. A record that now says less shows
// the refund; otherwise there is the promise of API.md: "A task that ends as
// failed is refunded in full." Of an unknown charge nothing can be said.
func repay(t *Task, paid Credits, now time.Time) {
	switch {
	case paid.Known && t.Charged.Amount < paid.Amount:
		back := min(paid.Amount, paid.Amount-t.Charged.Amount)
		t.Charged, t.Returned, t.ReturnedAt = paid, CreditsOf(back), now
	case t.State == Failed && t.Charged.Known:
		t.Returned, t.ReturnedAt = t.Charged, now
	}
}

// RefundMissing reports whether a failed task's credits were not seen to come
// back: nobody knows what it cost, or the service's record still keeps a part.
func (t Task) RefundMissing() bool {
	return t.State == Failed && (!t.Returned.Known || t.Returned.Amount < t.Charged.Amount)
}
