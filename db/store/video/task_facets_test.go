package video_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/suite"
)

// The number of a day's videos is the same whether they are the newest by ID or not, also
// where a word has more videos than are counted.
func TestADaysVideosAreCountedInWhateverOrderTheyCame(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	var tasks []db.Task
	for range gallery.MostCountedWords + 50 {
		tasks = append(tasks, suite.NewTask(ann.ID, "a kite"))
	}
	for i := range tasks {
		tasks[i].FormToken = fmt.Sprint("form ", i)
		tasks[i].CreatedAt = suite.Day.Add(time.Duration(i) * time.Hour)
	}
	var first, last int64
	for part := range slices.Chunk(tasks, 50) {
		added, err := s.AddTasks(t.Context(), part)
		must(t, err)
		if last = added[len(added)-1].ID; first == 0 {
			first = added[0].ID
		}
	}
	exec := func(statement string, args ...any) {
		_, err := raw.Exec(statement, args...)
		must(t, err)
	}
	exec(`UPDATE tasks SET state = 'success', keeping = 'kept'`)
	count := func() map[string]int {
		l, err := s.Search.Listing(t.Context(), gallery.Filter{Viewer: ann.ID, Query: "kite", Limit: 25}, 24, time.UTC)
		must(t, err)
		if l.Total != gallery.MostCountedWords+1 || len(l.Tasks) != 25 {
			t.Fatalf("%d videos, and %d in all", len(l.Tasks), l.Total)
		}
		counts := map[string]int{}
		for i, day := range l.Days {
			counts[day.From.Format(time.DateOnly)] = l.Many[i]
		}
		return counts
	}
	before := count()
	at := tasks[len(tasks)-1].CreatedAt
	exec(`UPDATE tasks SET created_at = $1 WHERE id = $2`, at.UnixMilli(), first)
	exec(`UPDATE tasks SET created_at = $1 WHERE id = $2`, at.UnixMilli(), last-200)
	want := maps.Clone(before)
	want[at.Format(time.DateOnly)] += 2
	if got := count(); !maps.Equal(got, want) {
		t.Errorf("videos by day: %v, want %v", got, want)
	}
}
