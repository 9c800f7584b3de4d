package part

import (
	"dailies/db"
	"dailies/db/format"
	"fmt"
)

// Credits returns an amount of credits in words.
func Credits(c db.Credits) string {
	if !c.Known {
		return "not known"
	}
	return Amount(c.Amount)
}

// Amount returns a known amount of credits in words.
func Amount(credits float64) string {
	if credits == 1 {
		return "1 credit"
	}
	return fmt.Sprintf("%s credits", Number(credits))
}

// Number formats n as format.Number does.
func Number[N int | float64](n N) string { return format.Number(n) }

// Plural returns the form that fits the number, as format.Plural does.
func Plural(n int, one, many string, values ...any) string {
	return format.Plural(n, one, many, values...)
}

// Bytes formats a size as format.Bytes does.
func Bytes(n int64) string { return format.Bytes(n) }

// AmountOrDash formats an amount for a column of amounts, with a dash for an unknown
// amount.
func AmountOrDash(c db.Credits) string {
	if !c.Known {
		return "–"
	}
	return Number(c.Amount)
}

// Signed formats the change of a balance with its sign.
func Signed(credits float64) string {
	if credits < 0 {
		return "−" + Number(-credits)
	}
	return "+" + Number(credits)
}
