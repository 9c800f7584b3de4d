package suite_test

import (
	"path/filepath"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

// filled returns a database as a big team would have filled it.
func filled(b *testing.B, finished, running int) (*store.Store, []db.User) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "dailies.db")
	s := suite.OpenAt(b, path)
	return s, sampletest.Fill(b, s, path, finished, running)
}

// BenchmarkGallery measures pages of 24 among 100,000 tasks with their total, and
// the counts of the filters' menus, with every single filter and with combinations.
// The environment variable DAILIES_BENCH_TASKS sets another number of tasks.
func BenchmarkGallery(b *testing.B) {
	n := sampletest.Tasks(b)
	c, users := filled(b, n, 0)
	busy, fresh := users[0].ID, users[len(users)-1].ID
	now := sampletest.End()
	spans := []gallery.Span{{From: now.AddDate(0, 0, -1)}, {From: now.AddDate(0, 0, -7)}, {From: now.AddDate(0, -1, 0)}, {From: now.AddDate(-1, 0, 0)}}
	for _, page := range []struct {
		name   string
		filter gallery.Filter
	}{
		{"first page", gallery.Filter{}},
		{"page by key", gallery.Filter{Before: int64(n / 2)}},
		{"last page", gallery.Filter{Before: 30}},
		{"through 1000", gallery.Filter{Through: int64(n - 1200)}},
		{"scene", gallery.Filter{Scenes: []string{"frames-to-video"}}},
		{"model", gallery.Filter{Models: []string{"veo3"}}},
		{"rare model", gallery.Filter{Models: []string{sampletest.RareModel}}},
		{"ratio", gallery.Filter{Ratios: []string{"4:3"}}},
		{"person", gallery.Filter{Makers: []int64{users[5].ID}}},
		{"mine", gallery.Filter{Makers: []int64{busy}}},
		{"mine, few", gallery.Filter{Makers: []int64{fresh}, Viewer: fresh}},
		{"mine, all states", gallery.Filter{Makers: []int64{busy}, States: []db.State{gallery.AnyState}}},
		{"all states", gallery.Filter{States: []db.State{gallery.AnyState}}},
		{"failed", gallery.Filter{States: []db.State{db.Failed}}},
		{"rejected", gallery.Filter{States: []db.State{db.Rejected}}},
		{"canceled", gallery.Filter{States: []db.State{db.Canceled}}},
		{"processing", gallery.Filter{States: []db.State{db.Processing}}},
		{"starred", gallery.Filter{Starred: true}},
		{"frequent tag", gallery.Filter{Tags: []string{sampletest.OftenTag}}},
		{"rare tag", gallery.Filter{Tags: []string{sampletest.RareTag}}},
		{"collection", gallery.Filter{Collections: []int64{7}}},
		{"day", gallery.Filter{From: spans[0].From}},
		{"week", gallery.Filter{From: spans[1].From}},
		{"month", gallery.Filter{From: spans[2].From}},
		{"year", gallery.Filter{From: spans[3].From}},
		{"days long ago", gallery.Filter{From: sampletest.Start().AddDate(0, 3, 0), Until: sampletest.Start().AddDate(0, 3, 2)}},
		{"nothing there", gallery.Filter{Models: []string{sampletest.RareModel}, Makers: []int64{fresh}, Viewer: fresh, Scenes: []string{"frames-to-video"}}},
		{"three models", gallery.Filter{Models: []string{"veo3", "veo3_fast", sampletest.RareModel}}},
		{"three people", gallery.Filter{Makers: []int64{busy, users[5].ID, users[6].ID}}},
		{"three tags", gallery.Filter{Tags: []string{sampletest.OftenTag, sampletest.RareTag, "tag 07"}}},
		{"three states", gallery.Filter{States: []db.State{db.Success, db.Failed, db.Canceled}}},
		{"three of everything", gallery.Filter{Models: []string{"veo3", "veo3_fast", "seedance-2.0"}, Makers: []int64{busy, users[5].ID, users[6].ID},
			Tags: []string{sampletest.OftenTag, sampletest.RareTag, "tag 07"}, Scenes: []string{"text-to-video", "frames-to-video", "image-to-video"}, Query: "the"}},
		{"word in every prompt", gallery.Filter{Query: "a"}},
		{"one letter", gallery.Filter{Query: "b"}},
		{"beginning of many words", gallery.Filter{Query: "ba"}},
		{"frequent word", gallery.Filter{Query: "mountain"}},
		{"frequent words", gallery.Filter{Query: "mountain sunset camera"}},
		{"frequent words, page by key", gallery.Filter{Query: "mountain sunset", Before: int64(n / 5)}},
		{"rare word", gallery.Filter{Query: sampletest.RareWord}},
		{"no such word", gallery.Filter{Query: "qqqq mountain"}},
		{"Chinese", gallery.Filter{Query: "风筝"}},
		{"one Japanese letter", gallery.Filter{Query: "の"}},
		{"Thai", gallery.Filter{Query: "สี"}},
		{"Arabic", gallery.Filter{Query: "البحر"}},
		{"Cyrillic", gallery.Filter{Query: "закате"}},
		{"scene, model and ratio", gallery.Filter{Scenes: []string{"frames-to-video"}, Models: []string{"veo3"}, Ratios: []string{"9:16"}}},
		{"word, starred, month", gallery.Filter{Query: "the", Starred: true, From: spans[2].From}},
		{"word in every prompt, starred, old", gallery.Filter{Query: "a", Starred: true, Until: sampletest.Start().AddDate(0, 2, 0)}},
		{"word in every prompt, rare tag, year", gallery.Filter{Query: "a", Tags: []string{sampletest.RareTag}, From: spans[3].From}},
		{"word in every prompt and rare model, mine", gallery.Filter{Query: "a", Models: []string{sampletest.RareModel}, Makers: []int64{busy}}},
		{"word, all states, model, mine, few", gallery.Filter{Query: "the", Models: []string{"veo3"}, Makers: []int64{fresh}, Viewer: fresh, States: []db.State{gallery.AnyState}}},
		{"everything", gallery.Filter{Query: "a", Scenes: []string{"text-to-video"}, Models: []string{"seedance-2.0"}, Ratios: []string{"16:9"}, Makers: []int64{busy}, States: []db.State{gallery.AnyState},
			Starred: true, Tags: []string{sampletest.OftenTag}, From: spans[3].From, Until: now}},
	} {
		page.filter.Limit = 24
		if page.filter.Viewer == 0 {
			page.filter.Viewer = busy
		}
		b.Run(page.name, func(b *testing.B) {
			sampletest.Timed(b, func() {
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
			sampletest.Timed(b, func() {
				_, err := c.Search.PlaceOf(b.Context(), page.filter, list[len(list)-1].ID)
				must(b, err)
			})
		})
		b.Run(page.name+", days", func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, page.filter.DaysOf(list, time.UTC))
				must(b, err)
			})
		})
		for _, menu := range []gallery.Facet{gallery.ByMaker, gallery.ByScene, gallery.ByModel, gallery.ByRatio, gallery.ByState, gallery.ByTag} {
			b.Run(page.name+", menu "+string(menu), func(b *testing.B) {
				sampletest.Timed(b, func() {
					_, err := c.Search.CountFacet(b.Context(), page.filter, menu)
					must(b, err)
				})
			})
		}
		b.Run(page.name+", menu date", func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, spans)
				must(b, err)
			})
		})
	}
	b.Run("tags", func(b *testing.B) {
		sampletest.Timed(b, func() {
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
		sampletest.Timed(b, func() {
			on = !on
			_, err := c.Tasks.StarTasks(b.Context(), users[0], ids, on)
			must(b, err)
		})
	})
	b.Run("latest", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tasks.LatestTasks(b.Context(), busy, 8)
			must(b, err)
		})
	})
	yes := true
	seedance := kind("text-to-video", "seedance-2.0", db.Options{Duration: 5, Resolution: "720p", Audio: &yes})
	b.Run("usual", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tasks.Usual(b.Context(), seedance)
			must(b, err)
		})
	})
	for name, duration := range map[string]int{"estimate": 5, "estimate from others": 99} {
		seedance.Options.Duration = duration
		b.Run(name, func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Tasks.Estimate(b.Context(), seedance)
				must(b, err)
			})
		})
	}
	b.Run("status", func(b *testing.B) {
		sampletest.Timed(b, func() {
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
		sampletest.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Leases.Claim(b.Context(), "bench", now, now.Add(time.Millisecond), schedule.Capacity{Send: 16, Ask: 16, Keep: 4})
			must(b, err)
		})
	})
	b.Run("queue", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Leases.Queue(b.Context(), users[0].ID)
			must(b, err)
		})
	})
	b.Run("update", func(b *testing.B) {
		sampletest.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Tasks.UpdateTask(b.Context(), 100_500, func(t *db.Task) error {
				return t.Report(db.Report{Status: "processing"}, now, now.Add(time.Second))
			})
			must(b, err)
		})
	})
	b.Run("next due", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Leases.NextDue(b.Context(), suite.Roomy)
			must(b, err)
		})
	})
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
