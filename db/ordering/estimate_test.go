package ordering_test

import (
	"testing"

	"dailies/db"
	"dailies/db/ordering"
)

func TestAnEstimateComesFromTheVideosMostAlike(t *testing.T) {
	var next int64
	charges := func(scene, options bool, amounts ...float64) (all []ordering.Charge) {
		for _, a := range amounts {
			next++
			all = append(all, ordering.Charge{TaskID: next, Credits: a, SameScene: scene, SameOptions: options})
		}
		return all
	}
	join := func(parts ...[]ordering.Charge) (all []ordering.Charge) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	many := make([]float64, 30)
	for i := range many {
		many[i] = float64(i + 1)
	}
	for _, tt := range []struct {
		name    string
		charges []ordering.Charge
		want    ordering.Estimate
	}{
		{"no history", nil, ordering.Estimate{}},
		{"enough of the same", join(charges(true, true, 26, 22, 24), charges(false, true, 90), charges(true, false, 80)), ordering.Estimate{db.CreditsOf(24), 22, 26, 3, false}},
		{"the newest of the same", charges(true, true, 90, 22, 23, 26, 25, 24), ordering.Estimate{db.CreditsOf(24), 22, 26, 5, false}},
		{"a price that rose", charges(true, true, 30, 45), ordering.Estimate{db.CreditsOf(45), 30, 45, 2, false}},
		{"few of the same, more of other scenes", join(charges(true, true, 20, 21), charges(false, true, 24, 25), charges(true, false, 80)), ordering.Estimate{db.CreditsOf(24), 20, 25, 4, false}},
		{"one of other scenes", join(charges(false, true, 24), charges(true, false, 80, 81, 82)), ordering.Estimate{db.CreditsOf(24), 24, 24, 1, false}},
		{"other options alone", join(charges(true, false, 10, 60), charges(false, false, 30)), ordering.Estimate{db.CreditsOf(30), 10, 60, 3, true}},
		{"many with other options", charges(true, false, many...), ordering.Estimate{db.CreditsOf(21), 11, 30, 20, true}},
		{"one free video", charges(true, true, 0), ordering.Estimate{db.CreditsOf(0), 0, 0, 1, false}},
	} {
		if got := ordering.EstimateOf(tt.charges); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
