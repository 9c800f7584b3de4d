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

// repay records the refund of a task that just ended without a video. Paid is
// what the service had said that it took. A record that now says less shows
// the refund; otherwise there is the promise of API.md: "A task that ends as
// failed is refunded in full." Of an unknown charge nothing can be said.
func (t *Task) repay(paid Credits, now time.Time) {
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
