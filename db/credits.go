package db

import (
	"math"
	"strconv"
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
