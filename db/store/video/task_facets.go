package video

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/store/engine"
)

// mostChoices is how many choices of a facet are counted: those with the most tasks.
const mostChoices = 200

// CountFacet counts how many tasks each choice of the facet would list while the rest
// of the filter stays as it is. The keys are the ID of the maker, the scene, model,
// aspect ratio or state, the gallery.TagKey, the ID of the cast member, the review.Answer, or "1"
// for starred. Before, Through and Limit
// are ignored. The counts are exact, and choices without tasks are left out.
func (s *Search) CountFacet(ctx context.Context, f gallery.Filter, facet gallery.Facet) (map[string]int, error) {
	return engine.Read(ctx, s.db, "facet "+string(facet), func(tx *engine.Tx) map[string]int { return s.countFacet(tx, f, facet) })
}

func (s *Search) countFacet(tx *engine.Tx, f gallery.Filter, facet gallery.Facet) map[string]int {
	var column, index string
	switch facet {
	case gallery.ByMaker:
		f.Makers, column, index = nil, "g.user_id", "gallery_by_maker"
	case gallery.ByScene:
		f.Scenes, column, index = nil, "g.scene", "gallery_by_scene"
	case gallery.ByModel:
		f.Models, column, index = nil, "g.model", "gallery_by_model"
	case gallery.ByRatio:
		f.Ratios, column, index = nil, "g.aspect_ratio", "gallery_by_ratio"
	case gallery.ByState:
		f.States, column = []db.State{gallery.AnyState}, "g.state"
	case gallery.ByStarred:
		f.Starred, column = true, "g.starred"
	case gallery.ByTag:
		f.Tags = nil
		return s.countFiled(tx, f, filing{"task_tags", "tag_id", "tags", "named.name_key", "tag_counts"})
	case gallery.ByCast:
		f.Cast = nil
		return s.countFiled(tx, f, filing{"task_cast", "member_id", "cast_members", "CAST(named.id AS TEXT)", "cast_counts"})
	case gallery.ByVerdict:
		return s.countAnswers(tx, f)
	default:
		tx.Check(db.ErrNotFound)
		return nil
	}
	_, plan := s.planOf(tx, f)
	if !tx.OK() {
		return nil
	}
	return groups(tx, withKept(bounded(plan), f, facet), func(b branch) string {
		switch {
		case b.kept != "":
			return b.kept
		case facet == gallery.ByState && b.visible == visibleOfTeam: // they are all finished
			return `SELECT 'success', count(*) FROM ` + b.from + ` WHERE ` + b.where
		case b.from == everything && b.all && index != "": // tasks are grouped by choice in the index
			b.from = "gallery g INDEXED BY " + index
		}
		return `SELECT ` + column + `, count(*) FROM ` + b.from + ` WHERE ` + b.where + ` GROUP BY ` + column
	})
}

// withKept replaces the branches of what the team shares by the totals that triggers keep of
// it, if these tell: by scene, model and aspect ratio, and by maker. Counting a hundred thousand
// rows of an index takes a hundred times as long.
func withKept(plan []branch, f gallery.Filter, facet gallery.Facet) []branch {
	isTeam := func(b branch) bool { return b.visible == visibleOfTeam }
	b := branch{visible: visibleOfTeam, last: newest}
	if b.kept, b.args = keptQuery(f, facet); b.kept == "" || !slices.ContainsFunc(plan, isTeam) {
		return plan
	}
	return append(slices.DeleteFunc(plan, isTeam), b)
}

// keptQuery returns a query for the kept totals of the facet. It is empty if the filter has other
// criteria than those by which the totals are kept.
func keptQuery(f gallery.Filter, facet gallery.Facet) (query string, args []any) {
	others := len(f.Makers) + len(f.Answers) + len(f.Tags) + len(f.Collections) + len(f.Cast)
	if f.Query != "" || f.Starred || others > 0 || !f.From.IsZero() || !f.Until.IsZero() {
		return "", nil
	}
	column := map[gallery.Facet]string{
		gallery.ByScene: "scene", gallery.ByModel: "model", gallery.ByRatio: "aspect_ratio", gallery.ByState: "'success'",
	}[facet]
	c, where := &choice{}, []string{"videos > 0"}
	for _, by := range []struct {
		column string
		values []string
	}{{"scene", f.Scenes}, {"model", f.Models}, {"aspect_ratio", f.Ratios}} {
		if len(by.values) > 0 {
			where = append(where, oneOf(c, by.column, by.values))
		}
	}
	switch {
	case column != "":
		return `SELECT ` + column + ` AS choice, CAST(sum(videos) AS BIGINT) AS many FROM kind_counts
			WHERE ` + strings.Join(where, " AND ") + ` GROUP BY choice`, c.args
	case facet == gallery.ByMaker && len(where) == 1:
		return `SELECT user_id, videos FROM maker_counts WHERE videos > 0`, nil
	}
	return "", nil
}

// A filing is a table of what tasks are filed under, its column with the ID of that, the
// table with this ID, the choice in it, and the table of the totals of what the team shares.
type filing struct{ table, column, names, choice, kept string }

// countFiled counts by tag, or by cast member. It reads the index of these if the filter has
// no smaller source. For everything that the team shares, it reads the totals that triggers
// keep.
func (s *Search) countFiled(tx *engine.Tx, f gallery.Filter, by filing) map[string]int {
	_, plan := s.planOf(tx, f)
	if !tx.OK() {
		return nil
	}
	return groups(tx, bounded(plan), func(b branch) string {
		tally := `SELECT l.` + by.column + ` AS id, count(*) AS many
			FROM ` + b.from + ` CROSS JOIN ` + by.table + ` l ON l.task_id = ` + b.id + ` WHERE ` + b.where + ` GROUP BY l.` + by.column
		switch {
		case b.from != everything || b.last != newest:
		case b.visible == visibleOfTeam && b.all:
			tally = `SELECT ` + by.column + ` AS id, videos AS many FROM ` + by.kept + ` WHERE videos > 0`
		default:
			tally = `SELECT l.` + by.column + ` AS id, count(*) AS many
				FROM ` + by.table + ` l CROSS JOIN gallery g ON g.id = l.task_id WHERE ` + b.where + ` GROUP BY l.` + by.column
		}
		return `SELECT ` + by.choice + `, tally.many FROM (` + tally + `) tally JOIN ` + by.names + ` named ON named.id = tally.id`
	})
}

// countAnswers counts by what guests decided. There are few such videos among all.
func (s *Search) countAnswers(tx *engine.Tx, f gallery.Filter) map[string]int {
	counts := map[string]int{}
	for _, a := range review.Answers() {
		f.Answers = []review.Answer{a}
		_, plan := s.planOf(tx, f)
		for _, b := range bounded(plan) {
			counts[string(a)] += tx.Count(`SELECT 1 FROM `+b.from+` WHERE `+b.where, b.args...)
		}
	}
	maps.DeleteFunc(counts, func(_ string, many int) bool { return many == 0 })
	return counts
}

// groups adds up, by choice, what the query counts for each branch. An empty text is
// not a choice.
func groups(tx *engine.Tx, plan []branch, query func(branch) string) (counts map[string]int) {
	type tally struct {
		choice string
		many   int
	}
	counts = map[string]int{}
	for _, b := range plan {
		tallies := engine.All(tx, engine.ScanFields(func(t *tally) []any { return []any{&t.choice, &t.many} }), query(b), b.args...)
		for _, t := range tallies {
			if t.choice != "" && t.many > 0 {
				counts[t.choice] += t.many
			}
		}
	}
	return most(counts)
}

// most returns the mostChoices choices with the highest counts.
func most(counts map[string]int) map[string]int {
	if len(counts) <= mostChoices {
		return counts
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, choice := range order[mostChoices:] {
		delete(counts, choice)
	}
	return counts
}

// Choices returns the models, or the aspect ratios, of the finished videos that the
// viewer may see. It jumps from one value to the next in an index, so that the time
// does not depend on how many videos each has. A value that the team's videos do not
// have is looked for among the viewer's private ones: with one condition for both, an
// index of the value would be walked past everybody's.
func (s *Search) Choices(ctx context.Context, viewer int64, facet gallery.Facet) ([]string, error) {
	column, index := "model", "gallery_by_model"
	if facet == gallery.ByRatio {
		column, index = "aspect_ratio", "gallery_by_ratio"
	}
	return engine.ReadAll(ctx, s.db.Reads, "choices of "+string(facet), engine.ScanValue[string], `
		WITH RECURSIVE choice (value) AS (
			SELECT min(`+column+`) FROM gallery
			UNION ALL
			SELECT (SELECT min(`+column+`) FROM gallery WHERE `+column+` > choice.value) FROM choice WHERE choice.value IS NOT NULL
		)
		SELECT value FROM choice
		WHERE value <> '' AND (
			EXISTS (SELECT 1 FROM gallery g INDEXED BY `+index+` WHERE g.`+column+` = value AND `+visibleOfTeam+`)
			OR EXISTS (SELECT 1 FROM gallery g INDEXED BY gallery_by_state WHERE g.`+column+` = value AND g.state = 'success' AND `+visibleOfOwn+`))
		LIMIT $2 + 0`, viewer, mostChoices)
}

// CountSpans counts how many tasks would match with each span of time in place of the
// filter's own. It reads only the tasks from the beginning of the first span to the end
// of the last, so that a few days cost little, and for everything that the team shares, it
// reads totals of whole days.
func (s *Search) CountSpans(ctx context.Context, f gallery.Filter, spans []gallery.Span) ([]int, error) {
	all := extentOf(spans)
	f.From, f.Until = all.From, all.Until
	return engine.Read(ctx, s.db, "dates", func(tx *engine.Tx) []int { return s.countSpans(tx, s.choiceOf(tx, f), spans) })
}

// countSpans counts the tasks of the choice in each span of time.
func (s *Search) countSpans(tx *engine.Tx, c *choice, spans []gallery.Span) []int {
	counts := make([]int, len(spans))
	if len(spans) == 0 {
		return counts
	}
	for _, part := range c.parts() {
		sums := part.sums(spans)
		for _, b := range bounded(s.plan(tx, part)) {
			if b.visible == visibleOfTeam && part.onlyDates() {
				days := &choice{}
				addSums(tx, counts, `SELECT `+days.keptSums(spans), days.args)
				continue
			}
			addSums(tx, counts, `SELECT `+sums+` FROM `+b.from+` WHERE `+b.where, b.args)
		}
	}
	return counts
}

// onlyDates reports whether the choice has no criterion but the span of time.
func (c *choice) onlyDates() bool {
	return !slices.ContainsFunc(c.sources, func(s source) bool { return s.span == "" })
}

// keptSums is like sums, for everything that the team shares. Whole days, in UTC, are read from
// the totals that triggers keep. Only what is left of a span at its ends is counted.
func (c *choice) keptSums(spans []gallery.Span) string {
	const day = int64(24 * time.Hour / time.Millisecond)
	counted := func(ends gallery.Span) string {
		return `(SELECT count(*) FROM tasks t INDEXED BY tasks_created CROSS JOIN gallery g ON g.id = t.id
			WHERE ` + strings.Join(append(c.within("t.created_at", ends), visibleOfTeam), " AND ") + `)`
	}
	var sums []string
	for _, span := range spans {
		first, end, kept := span.From, span.Until, []string{`TRUE`}
		if !first.IsZero() {
			number := (first.UnixMilli() + day - 1) / day
			first, kept = time.UnixMilli(number*day), append(kept, `day >= `+c.arg(number))
		}
		if !end.IsZero() {
			number := end.UnixMilli() / day
			end, kept = time.UnixMilli(number*day), append(kept, `day < `+c.arg(number))
		}
		if !first.IsZero() && !end.IsZero() && !first.Before(end) {
			sums = append(sums, counted(span))
			continue
		}
		sum := `(SELECT CAST(coalesce(sum(videos), 0) AS BIGINT) FROM day_counts WHERE ` + strings.Join(kept, " AND ") + `)`
		if span.From.Before(first) {
			sum += ` + ` + counted(gallery.Span{From: span.From, Until: first})
		}
		if end.Before(span.Until) {
			sum += ` + ` + counted(gallery.Span{From: end, Until: span.Until})
		}
		sums = append(sums, sum)
	}
	return strings.Join(sums, `, `)
}

// countAmong counts those of the tasks that were created in each span of time.
func countAmong(tasks []dated, spans []gallery.Span) []int {
	counts := make([]int, len(spans))
	for _, t := range tasks {
		for i, span := range spans {
			if !t.at.Before(span.From) && (span.Until.IsZero() || t.at.Before(span.Until)) {
				counts[i]++
			}
		}
	}
	return counts
}

// sums returns the columns that count the rows of gallery g in each span of time.
func (c *choice) sums(spans []gallery.Span) string {
	var sums []string
	for _, span := range spans {
		sums = append(sums, `count(*) FILTER (WHERE `+strings.Join(append(c.within("g.created_at", span), `TRUE`), ` AND `)+`)`)
	}
	return strings.Join(sums, `, `)
}

// addSums adds the columns of the query's only row to the counts.
func addSums(tx *engine.Tx, counts []int, query string, args []any) {
	found, into := make([]int, len(counts)), make([]any, len(counts))
	for i := range found {
		into[i] = &found[i]
	}
	tx.Row(query, args...).Scan(into...)
	for i, n := range found {
		counts[i] += n
	}
}

// extentOf returns the span from the beginning of the first to the end of the last.
func extentOf(spans []gallery.Span) (all gallery.Span) {
	for i, span := range spans {
		if i == 0 || span.From.Before(all.From) {
			all.From = span.From
		}
		if i == 0 || !all.Until.IsZero() && (span.Until.IsZero() || span.Until.After(all.Until)) {
			all.Until = span.Until
		}
	}
	return all
}
