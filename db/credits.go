package db

import "strconv"

// Credits is an amount of the service's money that may not be known. The zero
// value is "not known".
type Credits struct {
	Amount float64
	Known  bool
}

// CreditsOf is a known amount.
func CreditsOf(amount float64) Credits { return Credits{amount, true} }

// String is the amount in digits without needless zeros, or "not known".
func (c Credits) String() string {
	if !c.Known {
		return "not known"
	}
	return strconv.FormatFloat(c.Amount, 'f', -1, 64)
}
