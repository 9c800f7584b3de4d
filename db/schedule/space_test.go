package schedule_test

import (
	"testing"

	"dailies/db/schedule"
)

func TestSpaceThatIsLeft(t *testing.T) {
	const giga = 1 << 30
	for _, tt := range []struct {
		space           schedule.Space
		left            int64
		scarce, bounded bool
	}{
		{schedule.Space{Used: 5, Free: 100 * giga}, 99 * giga, false, false},
		{schedule.Space{Used: 5, Free: 3 * giga}, 2 * giga, true, false},
		{schedule.Space{Used: 5, Free: giga / 2}, 0, true, false},
		{schedule.Space{Used: 40 * giga, Max: 50 * giga, Free: 100 * giga}, 10 * giga, false, true},
		{schedule.Space{Used: 46 * giga, Max: 50 * giga, Free: 100 * giga}, 4 * giga, true, true},
		{schedule.Space{Used: 60 * giga, Max: 50 * giga, Free: 100 * giga}, 0, true, true},
		{schedule.Space{Used: 1 * giga, Max: 2 * giga, Free: -1}, 1 * giga, false, true},
		{schedule.Space{Used: 1 * giga, Max: 50 * giga, Free: 3 * giga}, 2 * giga, true, false},
		{schedule.Space{Free: -1}, 1 << 62, false, false},
		{schedule.Space{Used: 5 * giga, Max: 10 * giga, Free: -1, Waiting: 1}, 5 * giga, true, true},
	} {
		s := tt.space
		if s.Left() != tt.left || s.Scarce() != tt.scarce || s.Bounded() != tt.bounded {
			t.Errorf("%+v: left %d, scarce %t, bounded %t", s, s.Left(), s.Scarce(), s.Bounded())
		}
	}
}
