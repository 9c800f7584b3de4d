package video_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
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

func TestKeptBytesFollowEveryFile(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	kept := func(want int64) {
		t.Helper()
		got, err := s.Files.KeptBytes(t.Context())
		must(t, err)
		suite.Same(t, got, want)
	}
	kept(0)
	var ids []int64
	for range 3 {
		ids = append(ids, suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "kite").ID, db.Success, suite.Day).ID)
	}
	for i, id := range ids {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.Media = []db.Media{{Kind: db.Video, Hash: "v" + t.FormToken, Size: int64(1000 * (i + 1)), CreatedAt: suite.Day}, {Kind: db.Cover, Hash: "c" + t.FormToken, Size: 10, CreatedAt: suite.Day}}
			t.Keeping = db.Kept
			return nil
		})
		must(t, err)
	}
	kept(6030)
	_, err := s.Tasks.UpdateTask(t.Context(), ids[0], func(t *db.Task) error {
		t.Media[0].Hash, t.Media[0].Size = "again", 500
		return nil
	})
	must(t, err)
	kept(5530)
	must(t, s.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: ann.ID, Token: secrets.NewToken(), Hash: "picture", Type: "image/png", Size: 7, CreatedAt: suite.Day}))
	kept(5537)
	_, err = s.Bin.DeleteTasks(t.Context(), ann, ids[:1], suite.Day)
	must(t, err)
	kept(5537)
	_, err = s.Bin.EmptyBin(t.Context(), ann.ID, suite.Day.Add(time.Hour), suite.Day.Add(time.Hour), 10)
	must(t, err)
	kept(5027)
}

// The totals of a database that was made before they were kept are filled in.
func TestTotalsOfEarlierVersionsAreFilledIn(t *testing.T) {
	path, raw := suite.Migrated(t, "021_typed.sql")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0), ('Bo', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
			INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, charged, day, private, deleted_at)
			SELECT 1 + i % 2, 'form ' || i, 'text-to-video', 'veo3', 'success', '', i * 86400000, '{"duration":5}', '[]', 'kite', 30000, i, i % 4 = 0, iif(i = 40, 1, NULL)
			FROM n`,
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at) SELECT id, 'video', 0, 'abc' || id, 'video/webm', 100, '', 0 FROM tasks`,
		`INSERT INTO pictures (user_id, hash, type, size, width, height, name, created_at) VALUES (1, 'p', 'image/png', 5, 1, 1, '', 0)`,
		`INSERT INTO collections (name, note, created_by, created_at, changed_at) VALUES ('Spring', '', 1, 0, 0)`,
		`INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) SELECT 1, id, id, 1, 0 FROM tasks`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	suite.CheckTotals(t, s)
	size, err := s.Files.KeptBytes(t.Context())
	must(t, err)
	suite.Same(t, size, 4005)
	for viewer, want := range map[int64]int{1: 39, 2: 30} { // every fourth is Ann's private one, the last of which is in the bin
		c, err := s.Collections.Collection(t.Context(), viewer, 1)
		must(t, err)
		suite.Same(t, c.Count, want)
	}
	months, err := s.Usage.MonthlySpending(t.Context(), spending.Filter{People: []int64{2}})
	must(t, err)
	if len(months) != 2 || months[0].Day != 0 || months[1].Day != 31 || months[0].Tasks+months[1].Tasks != 20 || months[1].Paid != 150 {
		t.Errorf("%+v", months)
	}
	bin, err := s.Bin.Tasks(t.Context(), db.User{ID: 1, Role: db.Member}, 0, 10)
	must(t, err)
	suite.Same(t, suite.IDs(bin), []int64{40})
}

func TestWrongTotalsOfRowsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann := suite.AddUser(t, s, "Ann").ID
	id := suite.Bring(t, s, suite.AddTask(t, s, ann, "kite").ID, db.Success, suite.Day).ID
	c := gallery.Collection{Name: "Spring", CreatedBy: ann, CreatedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, ann, []int64{id}, suite.Day)
	must(t, err)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	for _, tt := range []struct{ change, undo, says string }{
		{`UPDATE kept_bytes SET bytes = bytes + 9`, `UPDATE kept_bytes SET bytes = bytes - 9`, "size of all files: 9 bytes, but the files say 0"},
		{`UPDATE collection_counts SET videos = 0`, `UPDATE collection_counts SET videos = 1`, "videos in collection 1 that the team may see: 0, but the collection says 1"},
		{`INSERT INTO collection_counts VALUES (1, 1, 3)`, `DELETE FROM collection_counts WHERE user_id = 1`, "that only person 1 may see: 3, but the collection says 0"},
		{`UPDATE kind_counts SET videos = 0`, `UPDATE kind_counts SET videos = 1`, "that the team may see: 1, but the menu says 0"},
		{`INSERT INTO kind_counts VALUES ('text-to-video', 'veo9', '1:1', 0, 2)`, `DELETE FROM kind_counts WHERE model = 'veo9'`, "text-to-video veo9 1:1) that the team may see: 0, but the menu says 2"},
		{`UPDATE maker_counts SET videos = 5`, `UPDATE maker_counts SET videos = 1`, "videos of a maker (1) that the team may see: 1, but the menu says 5"},
		{`INSERT INTO tag_counts VALUES (8, 1)`, `DELETE FROM tag_counts`, "videos with a tag (8) that the team may see: 0, but the menu says 1"},
		{`INSERT INTO cast_counts VALUES (8, 1)`, `DELETE FROM cast_counts`, "videos with a member of the cast (8) that the team may see: 0, but the menu says 1"},
		{`UPDATE day_counts SET videos = 4`, `UPDATE day_counts SET videos = 1`, "that the team may see: 1, but the menu says 4"},
		{`INSERT INTO day_counts VALUES (7, 0, 2)`, `DELETE FROM day_counts WHERE day = 7`, "videos of a day (7) that the team may see: 0, but the menu says 2"},
		{`UPDATE usage_months SET tasks = 3`, `UPDATE usage_months SET tasks = 1`, "usage of person 1 in 2026-11"},
		{`INSERT INTO usage_months VALUES (202501, 1, 'veo3', 'success', 0, 1, 1, 0, 0)`, `DELETE FROM usage_months WHERE month = 202501`, "usage of person 1 in 2025-01"},
	} {
		_, err := raw.Exec(tt.change)
		must(t, err)
		wrong, err := s.Usage.WrongTotals(t.Context())
		must(t, err)
		if len(wrong) != 1 || !strings.Contains(wrong[0], tt.says) {
			t.Errorf("%s: %q, want %q", tt.change, wrong, tt.says)
		}
		_, err = raw.Exec(tt.undo)
		must(t, err)
	}
}

func TestTheTotalsOfTheMetricsAreThoseOfAllVideos(t *testing.T) {
	s := suite.Open(t)
	people := []db.User{suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bob")}
	expect := func(unconfirmed int, failed int64, paid float64) {
		t.Helper()
		w, err := s.Work(t.Context(), suite.Day)
		must(t, err)
		kept, err := s.Files.KeptBytes(t.Context())
		must(t, err)
		if w.Unconfirmed != unconfirmed || w.Failed != failed || w.Paid != paid || w.KeptBytes != kept {
			t.Errorf("%d unconfirmed, %d failed, %g paid, %d of %d bytes; want %d, %d, %g", w.Unconfirmed, w.Failed, w.Paid, w.KeptBytes, kept, unconfirmed, failed, paid)
		}
	}
	expect(0, 0, 0)
	var lost int64
	for i, state := range []db.State{db.Success, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed, db.Unconfirmed, db.Failed, db.Processing, db.Queued} {
		task := suite.AddTask(t, s, people[i%2].ID, "a kite")
		suite.Bring(t, s, task.ID, state, suite.Day.AddDate(0, i, 0))
		if state == db.Unconfirmed {
			lost = task.ID
		}
	}
	expect(2, 4, 5*30) // a success, two failures, one cancelled and one that is being made
	_, err := s.Tasks.UpdateTask(t.Context(), lost, func(t *db.Task) error { return t.Decide(suite.Day) })
	must(t, err)
	expect(1, 4, 5*30)
	must(t, s.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: people[0].ID, Token: secrets.NewToken(), Hash: "picture", Type: "image/png", Size: 7, CreatedAt: suite.Day}))
	expect(1, 4, 5*30)
}

// BenchmarkMetrics measures what a scrape of the metrics counts, among 100,000 tasks, or
// as many as DAILIES_BENCH_TASKS says.
func BenchmarkMetrics(b *testing.B) {
	s, _ := filled(b, sampletest.Tasks(b), 100)
	for b.Loop() {
		if _, err := s.Work(b.Context(), sampletest.End()); err != nil {
			b.Fatal(err)
		}
	}
}

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
			_, err := s.Leases.Claim(t.Context(), "me", suite.Day, suite.Day.Add(time.Millisecond), schedule.Capacity{Query: 5})
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
