package ordering

import (
	"cmp"
	"slices"

	"dailies/db"
)

// A Charge says what one past video cost, and how it compares with a video that is
// to be made with the same model.
type Charge struct {
	TaskID      int64
	Credits     float64
	SameScene   bool
	SameOptions bool // those that affect the price: duration, resolution and sound
}

// An Estimate says what a video without a stated price is likely to cost.
type Estimate struct {
	Typical   db.Credits // the median; unknown if there are no past videos
	Low, High float64
	Count     int // videos that the figures are based on
	// Loose says that no video with these options was made yet: the figures are
	// from other options of the same model.
	Loose bool
}

const (
	// EnoughCharges is how many videos of the same scene and options suffice for an
	// estimate; with fewer, those of other scenes count too.
	EnoughCharges = 3

	// NewestCharges is how many of the newest videos an estimate is based on, so
	// that it follows a change of the price.
	NewestCharges = 5

	// newestLoose is the same for an estimate from other options, whose prices
	// differ.
	newestLoose = 20
)

// EstimateOf returns an estimate from past charges, in any order. It uses those of
// the same scene and options if there are enough of them, else those of the same
// options, else all.
func EstimateOf(charges []Charge) Estimate {
	var same, alike []Charge
	for _, c := range charges {
		if c.SameOptions {
			alike = append(alike, c)
			if c.SameScene {
				same = append(same, c)
			}
		}
	}
	switch {
	case len(same) >= EnoughCharges:
		return estimate(same, NewestCharges)
	case len(alike) > 0:
		return estimate(alike, NewestCharges)
	}
	e := estimate(charges, newestLoose)
	e.Loose = e.Count > 0
	return e
}

// estimate returns the estimate from the newest of the charges.
func estimate(charges []Charge, newest int) Estimate {
	if len(charges) == 0 {
		return Estimate{}
	}
	charges = slices.SortedFunc(slices.Values(charges), func(a, b Charge) int { return cmp.Compare(b.TaskID, a.TaskID) })
	charges = charges[:min(newest, len(charges))]
	slices.SortFunc(charges, func(a, b Charge) int { return cmp.Compare(a.Credits, b.Credits) })
	last := len(charges) - 1
	return Estimate{
		Typical: db.CreditsOf(charges[len(charges)/2].Credits), Low: charges[0].Credits, High: charges[last].Credits, Count: len(charges),
	}
}
