package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dailies/db/schedule"
)

// dueQueries returns due tasks from text such as "7a 7a 7b 8a", where the numbers are
// people and the letters keys. They have the IDs 1, 2, …
func dueQueries(t *testing.T, text string) (due []schedule.QueryJob) {
	t.Helper()
	for i, word := range strings.Fields(text) {
		j := schedule.QueryJob{TaskID: int64(i + 1), KeyID: int64(word[len(word)-1] - 'a')}
		if _, err := fmt.Sscan(word[:len(word)-1], &j.UserID); err != nil {
			t.Fatal(err)
		}
		due = append(due, j)
	}
	return due
}

func TestPeopleAndTheirKeysTakeTurns(t *testing.T) {
	for name, c := range map[string]struct {
		due  string
		n    int
		want [][]int64 // of calls one after another, without the tasks chosen before
	}{
		"nothing is due":      {due: "", n: 3, want: [][]int64{nil}},
		"all are chosen":      {due: "1a 1a 2a", n: 5, want: [][]int64{{1, 3, 2}}},
		"one after another":   {due: "1a 1a 1a 2a 3a", n: 1, want: [][]int64{{1}, {4}, {5}, {2}, {3}}},
		"two at a time":       {due: "1a 1a 1a 2a 3a", n: 2, want: [][]int64{{1, 4}, {5, 2}, {3}}},
		"keys of a person":    {due: "1a 1a 1a 1b", n: 1, want: [][]int64{{1}, {4}, {2}, {3}}},
		"people before keys":  {due: "1a 1b 1c 2a", n: 2, want: [][]int64{{1, 4}, {2, 3}}},
		"keys within a claim": {due: "1a 1a 1a 1b", n: 3, want: [][]int64{{1, 4, 2}, {3}}},
	} {
		var turns schedule.Turns
		left := dueQueries(t, c.due)
		for i, want := range c.want {
			got := turns.Choose(left, c.n)
			if !slices.Equal(got, want) {
				t.Errorf("%s, call %d: got %v, want %v", name, i+1, got, want)
			}
			left = slices.DeleteFunc(left, func(j schedule.QueryJob) bool { return slices.Contains(got, j.TaskID) })
		}
	}
}
