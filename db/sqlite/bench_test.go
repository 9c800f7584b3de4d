package sqlite_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/sqlite"
	"dailies/db/sqlite/crowd"
)

// crowded is a database that a big team has filled.
func crowded(b *testing.B, finished, running int) (*sqlite.Store, []db.User) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "dailies.db")
	s := openAt(b, path)
	return s, crowd.Fill(b, s, path, finished, running)
}

// timed runs do again and again and reports the median and the slowest in a
// hundred.
func timed(b *testing.B, do func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		do()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkGallery100k asks for pages of 24 of 100,000 tasks.
func BenchmarkGallery100k(b *testing.B) {
	c, users := crowded(b, 100_000, 0)
	busy, fresh := users[0].ID, users[len(users)-1].ID
	for _, page := range []struct {
		name   string
		filter db.TaskFilter
	}{
		{"first page", db.TaskFilter{}},
		{"page by key", db.TaskFilter{Before: 50_000}},
		{"last page", db.TaskFilter{Before: 30}},
		{"model", db.TaskFilter{Model: "veo3"}},
		{"rare model", db.TaskFilter{Model: crowd.RareModel}},
		{"scene and model", db.TaskFilter{Scene: "frames-to-video", Model: "veo3"}},
		{"nothing there", db.TaskFilter{Model: "veo3", Maker: fresh, Viewer: fresh, Scene: "frames-to-video"}},
		{"mine", db.TaskFilter{Maker: busy, Viewer: busy}},
		{"mine, few", db.TaskFilter{Maker: fresh, Viewer: fresh}},
		{"mine, all states", db.TaskFilter{Maker: busy, Viewer: busy, State: db.AnyState}},
		{"all states", db.TaskFilter{Viewer: busy, State: db.AnyState}},
		{"failed", db.TaskFilter{Viewer: busy, State: db.Failed}},
		{"word in every prompt", db.TaskFilter{Query: "a"}},
		{"one letter", db.TaskFilter{Query: "b"}},
		{"beginning of many words", db.TaskFilter{Query: "ba"}},
		{"frequent word", db.TaskFilter{Query: "mountain"}},
		{"frequent words", db.TaskFilter{Query: "mountain sunset camera"}},
		{"frequent words, page by key", db.TaskFilter{Query: "mountain sunset", Before: 20_000}},
		{"rare word", db.TaskFilter{Query: crowd.RareWord}},
		{"no such word", db.TaskFilter{Query: "qqqq mountain"}},
		{"word and rare model", db.TaskFilter{Query: "mountain", Model: crowd.RareModel}},
		{"word in every prompt and rare model, mine", db.TaskFilter{Query: "a", Model: crowd.RareModel, Maker: busy, Viewer: busy}},
		{"word and rare model, mine", db.TaskFilter{Query: "camera", Model: crowd.RareModel, Maker: busy, Viewer: busy}},
		{"word, all states, model, mine, few", db.TaskFilter{Query: "the", Model: "veo3", Maker: fresh, Viewer: fresh, State: db.AnyState}},
	} {
		page.filter.Limit = 24
		b.Run(page.name, func(b *testing.B) {
			timed(b, func() {
				_, err := c.Tasks(b.Context(), page.filter)
				must(b, err)
			})
		})
	}
	for name, filter := range map[string]db.TaskFilter{
		"count all": {}, "count mine": {Maker: busy, Viewer: busy}, "count word": {Query: "mountain"},
	} {
		b.Run(name, func(b *testing.B) {
			timed(b, func() {
				_, err := c.CountTasks(b.Context(), filter, 1001)
				must(b, err)
			})
		})
	}
	b.Run("latest", func(b *testing.B) {
		timed(b, func() {
			_, err := c.LatestTasks(b.Context(), busy, 8)
			must(b, err)
		})
	})
	b.Run("usual", func(b *testing.B) {
		yes := true
		timed(b, func() {
			_, err := c.Usual(b.Context(), "text-to-video", "seedance-2.0", db.Options{Duration: 5, Resolution: "720p", Audio: &yes})
			must(b, err)
		})
	})
	b.Run("usage of everybody", func(b *testing.B) {
		timed(b, func() {
			_, err := c.Usage(b.Context(), 0, crowd.Start())
			must(b, err)
		})
	})
	b.Run("status", func(b *testing.B) {
		timed(b, func() {
			_, err := c.Task(b.Context(), 50_000)
			must(b, err)
		})
	})
}

// BenchmarkClaim10k claims of 10,000 running tasks beside 100,000 finished ones.
func BenchmarkClaim10k(b *testing.B) {
	c, _ := crowded(b, 100_000, 10_000)
	now := db.Now()
	b.Run("claim and put back", func(b *testing.B) {
		timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Claim(b.Context(), "bench", now, now.Add(time.Millisecond), db.Room{Send: 16, Ask: 16, Keep: 4})
			must(b, err)
		})
	})
	b.Run("update", func(b *testing.B) {
		timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.UpdateTask(b.Context(), 100_500, func(t *db.Task) error {
				return t.Report(db.Report{Status: "processing"}, now, now.Add(time.Second))
			})
			must(b, err)
		})
	})
	b.Run("next due", func(b *testing.B) {
		timed(b, func() {
			_, err := c.NextDue(b.Context())
			must(b, err)
		})
	})
}
