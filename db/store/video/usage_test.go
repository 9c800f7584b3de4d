package video_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func TestUsageIsCountedByPersonAndMonth(t *testing.T) {
	s := suite.Open(t)
	bo, ann := suite.AddUser(t, s, "Bo"), suite.AddUser(t, s, "Ann")
	for _, c := range []struct {
		user  int64
		state db.State
		at    time.Time
	}{
		{ann.ID, db.Success, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)},
		{ann.ID, db.Failed, time.Date(2026, 10, 31, 23, 59, 59, 999e6, time.UTC)},
		{ann.ID, db.Success, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{ann.ID, db.Rejected, time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)},
		{bo.ID, db.Success, time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)},
		{bo.ID, db.Success, time.Date(2025, 11, 3, 0, 0, 0, 0, time.UTC)},
	} {
		task := suite.NewTask(c.user, "x")
		task.CreatedAt = c.at
		suite.Queue(t, s, &task)
		suite.Bring(t, s, task.ID, c.state, c.at)
	}
	october := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	annNov := spending.Sum{Of: fmt.Sprint(ann.ID), Videos: 1, Tasks: 2, Paid: 30}
	boNov := spending.Sum{Of: fmt.Sprint(bo.ID), Videos: 1, Tasks: 1, Paid: 30}
	annOct := spending.Sum{Of: fmt.Sprint(ann.ID), Videos: 1, Tasks: 2, Paid: 60, Refunded: 30}
	suite.Same(t, months(t, s, spending.Filter{First: db.DayOf(october, time.UTC)}), map[string][]spending.Sum{"2026-10": {annOct}, "2026-11": {annNov, boNov}})
	annOct.Videos, annOct.Tasks, annOct.Paid = 0, 1, 30
	suite.Same(t, months(t, s, spending.Filter{First: db.DayOf(october, time.UTC) + 1, People: []int64{ann.ID}}), map[string][]spending.Sum{"2026-10": {annOct}, "2026-11": {annNov}})
}

// What is paid for videos in progress is not part of what the finished ones cost.
func TestTheCostOfAVideoIsThatOfSettledOnes(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	for state, n := range map[db.State]int{db.Success: 12, db.Failed: 1, db.Canceled: 2, db.Pending: 30, db.Processing: 9, db.Queued: 4} {
		for range n {
			suite.Bring(t, s, suite.AddTask(t, s, ann, "a row").ID, state, suite.Day)
		}
	}
	filter := spending.Filter{First: db.DayOf(suite.Day, time.UTC)}
	days, err := s.Usage.Spending(t.Context(), filter, spending.ByPerson)
	must(t, err)
	monthly, err := s.Usage.MonthlySpending(t.Context(), filter)
	must(t, err)
	for _, sums := range [][]spending.Sum{days, monthly} {
		suite.Same(t, len(sums), 1)
		credits, ok := sums[0].PerVideo()
		suite.Same(t, ok, true)
		suite.Same(t, credits, 30*14.0/12) // two were canceled, and their credits do not come back
	}
	if _, ok := (spending.Sum{Paid: 30, Running: 30}).PerVideo(); ok {
		t.Error("videos in progress have a cost each")
	}
}

// months adds up what was spent in each month, by person.
func months(t *testing.T, s *store.Store, f spending.Filter) map[string][]spending.Sum {
	t.Helper()
	days, err := s.Usage.Spending(t.Context(), f, spending.ByPerson)
	must(t, err)
	sums := map[string][]spending.Sum{}
	for _, d := range days {
		month := db.MonthOf(d.Day)
		i := slices.IndexFunc(sums[month], func(sum spending.Sum) bool { return sum.Of == d.Of })
		if i < 0 {
			i = len(sums[month])
			sums[month] = append(sums[month], spending.Sum{Of: d.Of})
		}
		sum := &sums[month][i]
		*sum = sum.Plus(d)
	}
	for _, people := range sums {
		slices.SortFunc(people, func(a, b spending.Sum) int { return cmp.Compare(b.Of, a.Of) }) // Ann was added last
	}
	return sums
}

func TestUsageFollowsTheTimeZone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann := suite.AddUser(t, s, "Ann")
	for i := range 25 {
		task := suite.NewTask(ann.ID, "x")
		task.CreatedAt = time.Date(2026, 10, 31, i, 30, 0, 0, time.UTC) // the last one is in November
		suite.Queue(t, s, &task)
		suite.Bring(t, s, task.ID, db.Success, task.CreatedAt)
	}
	videos := func() (n [2]int) {
		t.Helper()
		sums := months(t, s, spending.Filter{})
		for i, month := range []string{"2026-10", "2026-11"} {
			for _, sum := range sums[month] {
				n[i] += sum.Videos
			}
		}
		wrong, err := s.Usage.WrongUsage(t.Context())
		must(t, err)
		suite.Same(t, wrong, nil)
		return n
	}
	suite.Same(t, videos(), [2]int{24, 1})
	suite.Wants(t, s.Settings.SetTimeZone(t.Context(), "Berlin"), db.ErrNotFound)
	must(t, s.Settings.SetTimeZone(t.Context(), "Asia/Tokyo"))
	more, err := s.Settings.RebuildDays(t.Context(), 20)
	must(t, err)
	if got := videos(); !more || got != [2]int{15 + 4, 5 + 1} {
		t.Errorf("part of the way: %v, more %t", got, more)
	}
	must(t, s.Close())
	s = suite.OpenAt(t, path)
	task := suite.NewTask(ann.ID, "made meanwhile")
	task.CreatedAt = time.Date(2026, 10, 31, 20, 0, 0, 0, time.UTC)
	suite.Queue(t, s, &task)
	suite.Bring(t, s, task.ID, db.Success, task.CreatedAt)
	for more {
		more, err = s.Settings.RebuildDays(t.Context(), 3)
		must(t, err)
	}
	suite.Same(t, videos(), [2]int{15, 10 + 1})
	if rebuilding, err := s.Settings.Rebuilding(t.Context()); rebuilding || err != nil {
		t.Error("it never ends", err)
	}
	if zone, err := s.Settings.TimeZone(t.Context()); err != nil || zone.String() != "Asia/Tokyo" {
		t.Error(zone, err)
	}
}

// Whatever cost the service reports, its answer is stored.
func TestUsageBearsAnyAmount(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	for range 3 {
		id := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "x").ID, db.Pending, suite.Day).ID
		for _, amount := range []float64{math.MaxFloat64, math.Inf(1), -math.MaxFloat64, 5} {
			_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.Charged = db.CreditsOf(amount); return nil })
			must(t, err)
		}
	}
	usage, err := s.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
	must(t, err)
	wrong, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	if len(wrong) > 0 || len(usage) != 1 || usage[0].Paid != 15 {
		t.Errorf("%+v, %q", usage, wrong)
	}
}

// Many tasks of the same person, model and day change their states at the same
// time, in both directions, while others are counted, claimed and added.
func TestTotalsHoldWhileTasksChange(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	var ids []int64
	for i := range 24 {
		ids = append(ids, suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, []db.State{db.Unconfirmed, db.Pending}[i%2], suite.Day).ID)
	}
	var all sync.WaitGroup
	for n, id := range ids {
		all.Go(func() {
			steps := []func(*db.Task) error{
				func(t *db.Task) error {
					if t.State == db.Pending {
						return nil
					}
					return t.Accept(db.Report{RemoteID: fmt.Sprint(n), Status: "pending", Charged: db.CreditsOf(30)}, suite.Day, suite.Day)
				},
				func(t *db.Task) error {
					return t.Report(db.Report{Status: "processing", Progress: 0.5}, suite.Day, suite.Day)
				},
				func(t *db.Task) error {
					return t.Report(db.Report{Status: []string{"failed", "canceled", "success"}[n%3], Charged: db.CreditsOf(30),
						Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}}, suite.Day, suite.Day)
				},
			}
			for _, step := range steps {
				if _, err := s.Tasks.UpdateTask(t.Context(), id, step); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		for range 20 {
			suite.AddTask(t, s, u.ID, "one more")
			_, err := s.Leases.Claim(t.Context(), "me", suite.Day, suite.Day.Add(time.Millisecond), schedule.Capacity{Ask: 5})
			must(t, err)
		}
	})
	all.Wait()
	wrong, err := s.Usage.WrongUsage(t.Context())
	if len(wrong) > 0 || err != nil {
		t.Errorf("%q, %v", wrong, err)
	}
	for n, id := range ids {
		task, err := s.Tasks.Task(t.Context(), id)
		if want := []db.State{db.Failed, db.Canceled, db.Success}[n%3]; err != nil || task.State != want {
			t.Errorf("task %d is %s, want %s, %v", id, task.State, want, err)
		}
	}
}

// WrongUsage finds totals that do not match the videos, by payer, key and month.
func TestWrongTotalsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	k := suite.AddTeamKey(t, s, "Marketing", true)
	suite.SendAs(t, s, suite.AddTask(t, s, ann, "x").ID, ann)
	suite.SendAs(t, s, suite.AddTask(t, s, bo, "x").ID, bo)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	for _, c := range []struct {
		change string
		wrong  int
	}{
		{`UPDATE tasks SET user_id = 2, payer_id = 1 WHERE user_id = 1`, 0},
		{`UPDATE tasks SET user_id = 1, payer_id = NULL WHERE payer_id = 1`, 0},
		{`UPDATE usage SET key_id = 0 WHERE user_id = 1`, 2},
		{fmt.Sprintf(`UPDATE usage SET key_id = %d`, k.TeamKeyID), 0},
		{`UPDATE spent SET counted = counted + 1000 WHERE user_id = 2`, 1},
		{`DELETE FROM spent`, 2},
	} {
		_, err := raw.Exec(c.change)
		must(t, err)
		wrong, err := s.Usage.WrongUsage(t.Context())
		must(t, err)
		if len(wrong) != c.wrong {
			t.Errorf("after %s: %q", c.change, wrong)
		}
	}
}
