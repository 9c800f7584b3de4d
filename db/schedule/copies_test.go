package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db/schedule"
)

// jobs returns waiting copies from text such as "7@host 7@host 8@other", where the
// numbers are people. They are due in this order and have the IDs 1, 2, …
func jobs(t *testing.T, text string) (waiting []schedule.CopyJob) {
	t.Helper()
	for i, word := range strings.Fields(text) {
		j := schedule.CopyJob{TaskID: int64(i + 1), Due: time.Unix(int64(i), 0)}
		if _, err := fmt.Sscanf(strings.Replace(word, "@", " ", 1), "%d %s", &j.UserID, &j.Host); err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, j)
	}
	return waiting
}

func TestCopiesAreSharedAmongPeople(t *testing.T) {
	for name, c := range map[string]struct {
		capacity schedule.CopyCapacity
		waiting  string
		workers  int
		want     []int64
	}{
		"nothing waits":         {workers: 3},
		"the longest due first": {waiting: "1@a 1@b 1@a", workers: 2, want: []int64{1, 2}},
		"people in turn":        {waiting: "1@a 1@a 1@a 2@a 3@a", workers: 4, want: []int64{1, 4, 5, 2}},
		"whoever has fewest first": {
			capacity: schedule.CopyCapacity{Makers: map[int64]int{1: 2, 2: 1}}, waiting: "1@a 2@a", workers: 1,
			want: []int64{2},
		},
		"as many as the host takes": {
			capacity: schedule.CopyCapacity{Hosts: map[string]int{"a": 1}, Most: map[string]int{"a": 2}},
			waiting:  "1@a 1@a 1@b", workers: 9, want: []int64{1, 3},
		},
		"one more for everybody": {
			capacity: schedule.CopyCapacity{Makers: map[int64]int{1: 2}, Hosts: map[string]int{"a": 2}, Most: map[string]int{"a": 2}},
			waiting:  "1@a 2@a 2@a", workers: 9, want: []int64{2},
		},
		"an unknown host": {waiting: strings.Repeat("1@a ", 20), workers: 30, want: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"at most so many of a person": {
			capacity: schedule.CopyCapacity{Makers: map[int64]int{1: schedule.CopiesPerMaker - 1}}, waiting: "1@a 1@b 1@c",
			workers: 9, want: []int64{1},
		},
		"reserved workers": {
			capacity: schedule.CopyCapacity{Makers: map[int64]int{1: 1}, Reserved: 2}, waiting: "1@a 1@a 2@a 2@a 3@a",
			workers: 3, want: []int64{3, 5},
		},
		"no worker": {waiting: "1@a", want: nil},
	} {
		var got []int64
		for _, j := range c.capacity.Choose(jobs(t, c.waiting), c.workers) {
			got = append(got, j.TaskID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

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
