package suite_test

import (
	"path/filepath"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
	"dailies/db/store/sample"
)

// filled returns a database as a big team would have filled it.
func filled(b *testing.B, finished, running int) (*store.Store, []db.User) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "dailies.db")
	s := openAt(b, path)
	return s, sample.Fill(b, s, path, finished, running)
}

// BenchmarkGallery measures pages of 24 among 100,000 tasks with their total, and
// the counts of the filters' menus, with every single filter and with combinations.
// The environment variable DAILIES_BENCH_TASKS sets another number of tasks.
func BenchmarkGallery(b *testing.B) {
	n := sample.Tasks(b)
	c, users := filled(b, n, 0)
	busy, fresh := users[0].ID, users[len(users)-1].ID
	now := sample.End()
	spans := []db.Span{{From: now.AddDate(0, 0, -1)}, {From: now.AddDate(0, 0, -7)}, {From: now.AddDate(0, -1, 0)}, {From: now.AddDate(-1, 0, 0)}}
	for _, page := range []struct {
		name   string
		filter db.TaskFilter
	}{
		{"first page", db.TaskFilter{}},
		{"page by key", db.TaskFilter{Before: int64(n / 2)}},
		{"last page", db.TaskFilter{Before: 30}},
		{"through 1000", db.TaskFilter{Through: int64(n - 1200)}},
		{"scene", db.TaskFilter{Scenes: []string{"frames-to-video"}}},
		{"model", db.TaskFilter{Models: []string{"veo3"}}},
		{"rare model", db.TaskFilter{Models: []string{sample.RareModel}}},
		{"ratio", db.TaskFilter{Ratios: []string{"4:3"}}},
		{"person", db.TaskFilter{Makers: []int64{users[5].ID}}},
		{"mine", db.TaskFilter{Makers: []int64{busy}}},
		{"mine, few", db.TaskFilter{Makers: []int64{fresh}, Viewer: fresh}},
		{"mine, all states", db.TaskFilter{Makers: []int64{busy}, States: []db.State{db.AnyState}}},
		{"all states", db.TaskFilter{States: []db.State{db.AnyState}}},
		{"failed", db.TaskFilter{States: []db.State{db.Failed}}},
		{"rejected", db.TaskFilter{States: []db.State{db.Rejected}}},
		{"canceled", db.TaskFilter{States: []db.State{db.Canceled}}},
		{"processing", db.TaskFilter{States: []db.State{db.Processing}}},
		{"starred", db.TaskFilter{Starred: true}},
		{"frequent tag", db.TaskFilter{Tags: []string{sample.OftenTag}}},
		{"rare tag", db.TaskFilter{Tags: []string{sample.RareTag}}},
		{"collection", db.TaskFilter{Collections: []int64{7}}},
		{"day", db.TaskFilter{From: spans[0].From}},
		{"week", db.TaskFilter{From: spans[1].From}},
		{"month", db.TaskFilter{From: spans[2].From}},
		{"year", db.TaskFilter{From: spans[3].From}},
		{"days long ago", db.TaskFilter{From: sample.Start().AddDate(0, 3, 0), Until: sample.Start().AddDate(0, 3, 2)}},
		{"nothing there", db.TaskFilter{Models: []string{sample.RareModel}, Makers: []int64{fresh}, Viewer: fresh, Scenes: []string{"frames-to-video"}}},
		{"three models", db.TaskFilter{Models: []string{"veo3", "veo3_fast", sample.RareModel}}},
		{"three people", db.TaskFilter{Makers: []int64{busy, users[5].ID, users[6].ID}}},
		{"three tags", db.TaskFilter{Tags: []string{sample.OftenTag, sample.RareTag, "tag 07"}}},
		{"three states", db.TaskFilter{States: []db.State{db.Success, db.Failed, db.Canceled}}},
		{"three of everything", db.TaskFilter{Models: []string{"veo3", "veo3_fast", "seedance-2.0"}, Makers: []int64{busy, users[5].ID, users[6].ID},
			Tags: []string{sample.OftenTag, sample.RareTag, "tag 07"}, Scenes: []string{"text-to-video", "frames-to-video", "image-to-video"}, Query: "the"}},
		{"word in every prompt", db.TaskFilter{Query: "a"}},
		{"one letter", db.TaskFilter{Query: "b"}},
		{"beginning of many words", db.TaskFilter{Query: "ba"}},
		{"frequent word", db.TaskFilter{Query: "mountain"}},
		{"frequent words", db.TaskFilter{Query: "mountain sunset camera"}},
		{"frequent words, page by key", db.TaskFilter{Query: "mountain sunset", Before: int64(n / 5)}},
		{"rare word", db.TaskFilter{Query: sample.RareWord}},
		{"no such word", db.TaskFilter{Query: "qqqq mountain"}},
		{"Chinese", db.TaskFilter{Query: "风筝"}},
		{"one Japanese letter", db.TaskFilter{Query: "の"}},
		{"Thai", db.TaskFilter{Query: "สี"}},
		{"Arabic", db.TaskFilter{Query: "البحر"}},
		{"Cyrillic", db.TaskFilter{Query: "закате"}},
		{"scene, model and ratio", db.TaskFilter{Scenes: []string{"frames-to-video"}, Models: []string{"veo3"}, Ratios: []string{"9:16"}}},
		{"word, starred, month", db.TaskFilter{Query: "the", Starred: true, From: spans[2].From}},
		{"word in every prompt, starred, old", db.TaskFilter{Query: "a", Starred: true, Until: sample.Start().AddDate(0, 2, 0)}},
		{"word in every prompt, rare tag, year", db.TaskFilter{Query: "a", Tags: []string{sample.RareTag}, From: spans[3].From}},
		{"word in every prompt and rare model, mine", db.TaskFilter{Query: "a", Models: []string{sample.RareModel}, Makers: []int64{busy}}},
		{"word, all states, model, mine, few", db.TaskFilter{Query: "the", Models: []string{"veo3"}, Makers: []int64{fresh}, Viewer: fresh, States: []db.State{db.AnyState}}},
		{"everything", db.TaskFilter{Query: "a", Scenes: []string{"text-to-video"}, Models: []string{"seedance-2.0"}, Ratios: []string{"16:9"}, Makers: []int64{busy}, States: []db.State{db.AnyState},
			Starred: true, Tags: []string{sample.OftenTag}, From: spans[3].From, Until: now}},
	} {
		page.filter.Limit = 24
		if page.filter.Viewer == 0 {
			page.filter.Viewer = busy
		}
		b.Run(page.name, func(b *testing.B) {
			sample.Timed(b, func() {
				_, _, err := c.Search.CountedTasks(b.Context(), page.filter)
				must(b, err)
			})
		})
		list, err := c.Search.Tasks(b.Context(), page.filter)
		must(b, err)
		if len(list) == 0 {
			list = []db.Task{{ID: int64(n / 2), CreatedAt: now}}
		}
		b.Run(page.name+", place", func(b *testing.B) {
			sample.Timed(b, func() {
				_, err := c.Search.PlaceOf(b.Context(), page.filter, list[len(list)-1].ID)
				must(b, err)
			})
		})
		b.Run(page.name+", days", func(b *testing.B) {
			sample.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, page.filter.DaysOf(list, time.UTC))
				must(b, err)
			})
		})
		for _, menu := range []db.Facet{db.ByMaker, db.ByScene, db.ByModel, db.ByRatio, db.ByState, db.ByTag} {
			b.Run(page.name+", menu "+string(menu), func(b *testing.B) {
				sample.Timed(b, func() {
					_, err := c.Search.CountFacet(b.Context(), page.filter, menu)
					must(b, err)
				})
			})
		}
		b.Run(page.name+", menu date", func(b *testing.B) {
			sample.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, spans)
				must(b, err)
			})
		})
	}
	b.Run("tags", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Tags.VisibleTo(b.Context(), busy)
			must(b, err)
		})
	})
	b.Run("star 24", func(b *testing.B) {
		ids := make([]int64, 24)
		for i := range ids {
			ids[i] = int64(n/2 + i)
		}
		on := false
		sample.Timed(b, func() {
			on = !on
			_, err := c.Tasks.StarTasks(b.Context(), users[0], ids, on)
			must(b, err)
		})
	})
	b.Run("latest", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Tasks.LatestTasks(b.Context(), busy, 8)
			must(b, err)
		})
	})
	yes := true
	seedance := kind("text-to-video", "seedance-2.0", db.Options{Duration: 5, Resolution: "720p", Audio: &yes})
	b.Run("usual", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Tasks.Usual(b.Context(), seedance)
			must(b, err)
		})
	})
	for name, duration := range map[string]int{"estimate": 5, "estimate from others": 99} {
		seedance.Options.Duration = duration
		b.Run(name, func(b *testing.B) {
			sample.Timed(b, func() {
				_, err := c.Tasks.Estimate(b.Context(), seedance)
				must(b, err)
			})
		})
	}
	b.Run("status", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Tasks.Task(b.Context(), int64(n/2))
			must(b, err)
		})
	})
}

// BenchmarkClaim10k claims some of 10,000 running tasks beside 100,000 finished
// ones.
func BenchmarkClaim10k(b *testing.B) {
	c, users := filled(b, 100_000, 10_000)
	now := db.Now()
	b.Run("claim and put back", func(b *testing.B) {
		sample.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Leases.Claim(b.Context(), "bench", now, now.Add(time.Millisecond), db.Capacity{Send: 16, Ask: 16, Keep: 4})
			must(b, err)
		})
	})
	b.Run("queue", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Leases.Queue(b.Context(), users[0].ID)
			must(b, err)
		})
	})
	b.Run("update", func(b *testing.B) {
		sample.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Tasks.UpdateTask(b.Context(), 100_500, func(t *db.Task) error {
				return t.Report(db.Report{Status: "processing"}, now, now.Add(time.Second))
			})
			must(b, err)
		})
	})
	b.Run("next due", func(b *testing.B) {
		sample.Timed(b, func() {
			_, err := c.Leases.NextDue(b.Context(), roomy)
			must(b, err)
		})
	})
}

// BenchmarkMetrics measures what a scrape of the metrics counts, among 100,000 tasks, or
// as many as DAILIES_BENCH_TASKS says.
func BenchmarkMetrics(b *testing.B) {
	s, _ := filled(b, sample.Tasks(b), 100)
	for b.Loop() {
		if _, err := s.Work(b.Context(), sample.End()); err != nil {
			b.Fatal(err)
		}
	}
}
