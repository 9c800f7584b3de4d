package video_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestUsageIsDividedAndFiltered(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	k := suite.AddTeamKey(t, s, "Marketing", true)
	suite.PutKey(t, s, bo, "own")
	end := func(status string) func(*db.Task) error {
		return func(t *db.Task) error {
			return t.Report(db.Report{Status: status, Charged: db.CreditsOf(30), Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}}, suite.Day, suite.Day)
		}
	}
	for i, c := range []struct {
		by     int64
		status string
	}{{ann, "success"}, {ann, "failed"}, {bo, "success"}, {bo, ""}} {
		task := suite.NewTask(c.by, fmt.Sprint("video ", i))
		task.CreatedAt = suite.Day.AddDate(0, 0, i)
		suite.Queue(t, s, &task)
		suite.SendAs(t, s, task.ID, c.by)
		if c.status != "" {
			_, err := s.Tasks.UpdateTask(t.Context(), task.ID, end(c.status))
			must(t, err)
		}
	}
	first := db.DayOf(suite.Day, time.UTC)
	spent := func(f spending.Filter, by spending.Dimension) (said []string) {
		t.Helper()
		sums, err := s.Usage.Spending(t.Context(), f, by)
		must(t, err)
		for _, u := range sums {
			said = append(said, fmt.Sprintf("%d %s %d/%d %g-%g", u.Day-first, u.Of, u.Videos, u.Tasks, u.Paid, u.Refunded))
		}
		return said
	}
	person, of := fmt.Sprint(ann), fmt.Sprint(k.TeamKeyID)
	suite.Same(t, spent(spending.Filter{People: []int64{ann}}, spending.ByPerson), []string{"0 " + person + " 1/1 30-0", "1 " + person + " 0/1 30-30"})
	suite.Same(t, spent(spending.Filter{Last: first}, spending.ByKey), []string{"0 " + of + " 1/1 30-0"})
	suite.Same(t, spent(spending.Filter{Keys: []int64{0}}, spending.ByOutcome), []string{"2 success 1/1 30-0", "3 running 0/1 30-0"})
	suite.Same(t, spent(spending.Filter{First: first + 1, Outcomes: []string{"failed", "running"}, Models: []string{suite.NewTask(ann, "x").Model}}, spending.ByKey), []string{"1 " + of + " 0/1 30-30", "3 0 0/1 30-0"})
	suite.Same(t, spent(spending.Filter{Models: []string{"nothing", "it's \"quoted\""}}, spending.ByModel), nil)
	_, err := s.Usage.Spending(t.Context(), spending.Filter{}, "day; DROP TABLE usage")
	suite.Wants(t, err, db.ErrNotFound)

	var lines []string
	must(t, s.Usage.EachReceipt(t.Context(), ann, spending.Filter{Outcomes: []string{"success", "failed"}}, func(r spending.Receipt) error {
		lines = append(lines, fmt.Sprintf("%d %s %s %q %q %g", r.TaskID, r.Payer, r.State, r.Key, r.Prompt, *r.Paid))
		return nil
	}))
	suite.Same(t, lines, []string{`1 Ann success "Marketing" "video 0" 30`, `2 Ann failed "Marketing" "video 1" 30`, `3 Bo success "" "video 2" 30`})
	lines = nil
	must(t, s.Usage.EachReceipt(t.Context(), bo, spending.Filter{People: []int64{ann}}, func(r spending.Receipt) error {
		lines = append(lines, fmt.Sprintf("%d %t %s", r.TaskID, r.Hidden, r.Prompt))
		return nil
	}))
	suite.Same(t, lines, []string{"1 false video 0", "2 true "}) // a failed video is visible only to its maker
}

// The months of the first and the last day count as a whole.
func TestUsageIsSummedUpByMonth(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	for _, at := range []time.Time{
		time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC),
	} {
		task := suite.NewTask(ann, at.String())
		task.CreatedAt = at
		suite.Queue(t, s, &task)
	}
	from := func(month time.Month) int64 {
		return db.DayOf(time.Date(2026, month, 15, 0, 0, 0, 0, time.UTC), time.UTC)
	}
	for name, tt := range map[string]struct {
		f    spending.Filter
		want []string
	}{
		"all":      {spending.Filter{}, []string{"2026-10-01 1", "2026-11-01 2", "2026-12-01 1", "2027-01-01 1"}},
		"from":     {spending.Filter{First: from(11)}, []string{"2026-11-01 2", "2026-12-01 1", "2027-01-01 1"}},
		"until":    {spending.Filter{Last: from(11)}, []string{"2026-10-01 1", "2026-11-01 2"}},
		"one":      {spending.Filter{First: from(12), Last: from(12)}, []string{"2026-12-01 1"}},
		"nobody's": {spending.Filter{People: []int64{ann + 1}}, nil},
	} {
		sums, err := s.Usage.MonthlySpending(t.Context(), tt.f)
		must(t, err)
		var got []string
		for _, m := range sums {
			got = append(got, fmt.Sprintf("%s %d", time.Unix(m.Day*24*60*60, 0).UTC().Format(time.DateOnly), m.Tasks))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestEveryReceiptIsThereOverManyPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	copyTask(t, path, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID, 2500)
	last, n := int64(0), 0
	must(t, s.Usage.EachReceipt(t.Context(), 1, spending.Filter{}, func(r spending.Receipt) error {
		if n++; r.TaskID <= last {
			t.Fatalf("%d after %d", r.TaskID, last)
		}
		last = r.TaskID
		return nil
	}))
	if n != 2501 && n != 2500 {
		t.Errorf("%d lines", n)
	}
}

// BenchmarkUsagePage measures the queries of the usage page, and of an export, with
// 100,000 videos.
func BenchmarkUsagePage(b *testing.B) {
	s, users := filled(b, 100_000, 0)
	first := db.DayOf(sampletest.End().AddDate(-1, 0, 0), time.UTC)
	for name, f := range map[string]spending.Filter{"everybody": {First: first}, "one person": {First: first, People: []int64{users[0].ID}}} {
		for _, by := range spending.Dimensions() {
			b.Run(name+" by "+string(by), func(b *testing.B) {
				sampletest.Timed(b, func() {
					_, err := s.Usage.Spending(b.Context(), f, by)
					must(b, err)
				})
			})
		}
	}
	b.Run("export", func(b *testing.B) { export(b, s) })
}

func export(b *testing.B, s *store.Store) {
	sampletest.Timed(b, func() {
		must(b, s.Usage.EachReceipt(b.Context(), 1, spending.Filter{}, func(spending.Receipt) error { return nil }))
	})
}
