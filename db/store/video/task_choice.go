package video

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dailies/db/gallery"
	"dailies/db/store/engine"
)

// A choice translates a gallery.Filter into SQL. Of its arguments, $1 is always the
// viewer's ID, and $2 the value that a branch is about.
type choice struct {
	gallery.Filter
	args    []any
	sources []source

	// Without words that are names, too, there is only the choice itself. Otherwise these
	// choices have together all its tasks, and no two of them have one in common.
	each []*choice

	// Bounds of the IDs of matching tasks, as far as narrowest has determined them.
	first, last int64
	also        string // further conditions on a row of gallery g, each preceded by " AND "; its ID is %s

	undated int               // how many arguments come before those of the span of time
	samples map[string]extent // by source, without the span of time; see sample
}

// A source lists, by ID, the tasks that match one criterion of the filter. A query
// reads one source and checks the other criteria row by row.
type source struct {
	from, where string
	id          string // the column with the task's ID
	check       string // the criterion as a condition on a row of gallery g, whose ID is %s
	joined      bool   // it is not an index of the gallery, which therefore has to be joined
	wide        bool   // it need not be joined after all, because the table has the same columns, as g
	words       bool   // it is the index of words; checking them takes longer than any other criterion
	sorted      bool   // read backwards, it lists the newest task first
	scanWhere   string // if it is not sorted, but may have many tasks: where, for a scan in ID order
	most        int    // how many tasks are counted to find the smallest source; 0 stands for sampled
	span        string // if most is set: a query for the IDs at both ends, to tell soon that there are more

	// For a criterion with several values: the condition for the single value $2 and,
	// if a task may have more than one of the values, the condition that it has one of
	// those at %s.
	each, also string
	values     []any
}

const (
	// everything reads the whole gallery, in the order of the IDs.
	everything = "gallery g NOT INDEXED"

	// newest is greater than the ID of any task.
	newest = math.MaxInt64 - 1

	// sampled is how many tasks of a source are counted, at most, to find the smallest
	// source. For a span of time it is sampledDates: if that many tasks are in it, a
	// scan of the whole gallery soon finds as many as are counted.
	sampled      = 2000
	sampledDates = 12_000
	// checkingWords is how many times longer it takes to check a task of another source
	// for words than to check a task of the index of words for everything else.
	checkingWords = 3
)

// choiceOf translates the filter into a choice.
func (s *Search) choiceOf(tx *engine.Tx, f gallery.Filter) *choice {
	c := &choice{Filter: f}
	for _, m := range s.meanings(tx, f) {
		c.each = append(c.each, s.partOf(tx, f, m))
	}
	if tx.OK() && len(c.each) > 1 {
		return c
	}
	return c.each[0] // whatever the query means, there is at least one meaning
}

// parts returns the choices that have together all tasks of this one.
func (c *choice) parts() []*choice {
	if len(c.each) == 0 {
		return []*choice{c}
	}
	return c.each
}

// partOf translates the filter, with one meaning of its words, into a choice.
func (s *Search) partOf(tx *engine.Tx, f gallery.Filter, m meaning) *choice {
	f.Makers = m.makers
	c := &choice{Filter: f, args: []any{f.Viewer, nil}, last: newest, samples: map[string]extent{}}
	s.search(tx, c, m.words)
	s.names(c, m)
	filed(tx, c, "collection_tasks", "collection_id", "SELECT id FROM collections WHERE deleted_at IS NULL AND id", f.Collections)
	var keys []string
	for _, name := range f.Tags {
		keys = append(keys, gallery.TagKey(name))
	}
	filed(tx, c, "task_tags", "tag_id", "SELECT id FROM tags WHERE name_key", keys)
	filed(tx, c, "task_cast", "member_id", "SELECT id FROM cast_members WHERE id", f.Cast)
	if f.Starred {
		const starred = "g.starred = 1"
		c.sources = append(c.sources,
			source{from: "gallery g INDEXED BY gallery_starred", id: "g.id", where: starred, check: starred, sorted: true})
	}
	indexed(c, "gallery_by_maker", "g.user_id", f.Makers)
	indexed(c, "gallery_by_model", "g.model", f.Models)
	indexed(c, "gallery_by_ratio", "g.aspect_ratio", f.Ratios)
	indexed(c, "gallery_by_scene", "g.scene", f.Scenes)
	answered(tx, c, f)
	c.undated = len(c.args)
	c.dates()
	return c
}

// during returns a choice that has the span of time in place of its own.
func (c *choice) during(span gallery.Span) *choice {
	d := *c
	if d.From, d.Until = span.From, span.Until; len(c.each) > 0 {
		d.each = nil
		for _, part := range c.each {
			d.each = append(d.each, part.during(span))
		}
		return &d
	}
	d.first, d.last = 0, newest
	d.args = slices.Clone(c.args[:c.undated])
	d.sources = slices.DeleteFunc(slices.Clone(c.sources), func(s source) bool { return s.span != "" })
	d.dates()
	return &d
}

// indexed adds a source that reads an index of the gallery.
func indexed[T comparable](c *choice, index, column string, values []T) {
	if len(values) == 0 {
		return
	}
	fits := oneOf(c, column, values)
	c.sources = append(c.sources, source{
		from: "gallery g INDEXED BY " + index, id: "g.id", where: fits, check: fits, sorted: true,
		each: column + " = $2", values: anyOf(values),
	})
}

// filed adds a source that reads a table of what tasks are filed under, such as tags.
// The query, to which a list of the values is added, selects the IDs of these. With IDs
// in place of a subquery, PostgreSQL can estimate how many tasks there are.
func filed[T comparable](tx *engine.Tx, c *choice, table, column, query string, values []T) {
	if len(values) == 0 {
		return
	}
	by := &choice{}
	ids := engine.All(tx, engine.ScanValue[int64], query+" IN ("+by.list(anyOf(values))+")", by.args...)
	if !tx.OK() || len(ids) == 0 {
		ids = []int64{0} // an ID that nothing has
	}
	id, own := table+".task_id", table+"."+column
	fits := oneOf(c, own, ids)
	c.sources = append(c.sources, source{
		from: table, id: id, where: fits, joined: true, sorted: true,
		check:  "EXISTS (SELECT 1 FROM " + table + " WHERE " + fits + " AND " + id + " = %s)",
		each:   own + " = $2",
		also:   "EXISTS (SELECT 1 FROM " + table + " e WHERE e.task_id = " + id + " AND e." + column + " IN (%s))",
		values: anyOf(ids),
	})
}

// oneOf returns the condition that the column has one of the values.
func oneOf[T comparable](c *choice, column string, values []T) string {
	if len(values) == 1 {
		return column + " = " + c.arg(values[0])
	}
	return column + " IN (" + c.list(anyOf(values)) + ")"
}

// list adds the values to the arguments and returns their placeholders.
func (c *choice) list(values []any) string {
	var list []string
	for _, value := range values {
		list = append(list, c.arg(value))
	}
	return strings.Join(list, ", ")
}

// anyOf returns the values without duplicates.
func anyOf[T comparable](values []T) (list []any) {
	for i, value := range values {
		if !slices.Contains(values[:i], value) {
			list = append(list, value)
		}
	}
	return list
}

// dates adds the source for the span of time, as the last one. Its tasks have to be
// sorted, because IDs are nearly, but not exactly, in the order of creation times.
func (c *choice) dates() {
	span := gallery.Span{From: c.From, Until: c.Until}
	if when := c.within("g.created_at", span); len(when) > 0 {
		from, where := "tasks t INDEXED BY tasks_created", strings.Join(c.within("t.created_at", span), " AND ")
		end := "coalesce((SELECT t.id FROM " + from + " WHERE " + where + " ORDER BY t.created_at"
		c.sources = append(c.sources, source{
			from: from, id: "t.id", where: where, check: strings.Join(when, " AND "), joined: true, most: sampledDates,
			span: "SELECT " + end + " LIMIT 1), 0), " + end + " DESC LIMIT 1), 0)",
		})
	}
}

// within returns the conditions that the time in the column lies in the span. A zero
// time adds none.
func (c *choice) within(column string, span gallery.Span) (when []string) {
	if !span.From.IsZero() {
		when = append(when, column+" >= "+c.arg(engine.Instant(span.From)))
	}
	if !span.Until.IsZero() {
		when = append(when, column+" < "+c.arg(engine.Instant(span.Until)))
	}
	return when
}

// arg adds the value to the arguments and returns its placeholder.
func (c *choice) arg(value any) string {
	c.args = append(c.args, value)
	return fmt.Sprintf("$%d", len(c.args))
}

// narrowest returns the source to read: the one with the fewest tasks, or the whole
// gallery if there is none. If a span of time has few tasks, their IDs bound what is
// read from any source.
//
// Words take longer to check than anything else. Another source is therefore read
// instead of SQLite's index of words only if so few of its tasks are looked at that it
// takes less time; see wordsFirst. PostgreSQL's index lists tasks in no order. It is
// therefore not used for a frequent word: the tasks of another source, or of the whole
// gallery, are read in ID order, and those without the word are left out.
func (c *choice) narrowest(tx *engine.Tx) source {
	whole := source{from: everything, where: "TRUE", id: "g.id", sorted: true}
	if len(c.sources) == 0 || len(c.sources) == 1 && (c.sources[0].sorted || c.sources[0].scanWhere != "") {
		return append(c.sources, whole)[0]
	}
	best, fewest, words, scan := whole, math.Inf(1), source{}, whole
	var withWords float64 // how many tasks the index of words has
	last := newestID(tx)
	for _, s := range c.sources {
		if frequent := c.isFrequent(tx, s); tx.OK() && frequent { // any other source is better, and so is a scan in ID order
			s.where, s.scanWhere, s.sorted = s.scanWhere, "", true
			scan = s
			continue
		}
		limit := cmp.Or(s.most, sampled)
		found := c.sample(tx, s, limit)
		if !tx.OK() {
			return best
		}
		if !s.sorted && found.n < limit {
			c.first, c.last = found.first, found.last
			if found.last-found.first < int64(4*found.n) { // hardly any other tasks are between them
				s = whole
			}
		} else if !s.sorted && s.most > 0 {
			continue
		}
		s.sorted = s.sorted || found.n == limit // so many that a scan in ID order soon finds some
		n := float64(found.n)
		if found.n == limit { // as many as if the others were as close to each other
			n *= max(1, float64(last)/float64(found.last-found.first+1))
		}
		if s.words && s.scanWhere == "" {
			words, withWords = s, n
		} else if n < fewest || best.from == everything && s.from != everything {
			best, fewest = s, n
		}
	}
	switch {
	case best.from == everything && scan.from != everything:
		return scan
	case words.from != "" && (best.from == everything && math.IsInf(fewest, 1) || wordsFirst(withWords, fewest, float64(last))):
		return words
	}
	return best
}

// wordsFirst reports whether a page with its total is found sooner in the index of
// words than in another source, if they have so many of all tasks. The search ends when
// as many are found as are counted.
func wordsFirst(words, other, all float64) bool {
	inWords := min(words, gallery.MostCountedWords*all/max(1, other))
	inOther := min(other, gallery.MostCountedWords*all/max(1, words))
	return inWords <= checkingWords*inOther
}

// An extent is a sample of a source: how many tasks it has, and the lowest and highest ID
// of these.
type extent struct {
	n           int
	first, last int64
}

// sample counts up to limit tasks of the source.
func (c *choice) sample(tx *engine.Tx, s source, limit int) (f extent) {
	if known, ok := c.samples[s.from+s.where]; ok {
		return known
	}
	if s.span == "" {
		defer func() { c.samples[s.from+s.where] = f }()
	} else {
		tx.Row(s.span, c.args...).Scan(&f.first, &f.last)
		if tx.OK() && f.last-f.first >= int64(2*limit) { // IDs are nearly in the order of creation
			f.n = limit
			return f
		}
	}
	tx.Row(`
		SELECT count(*), coalesce(min(id), 0), coalesce(max(id), 0)
		FROM (SELECT `+s.id+` AS id FROM `+s.from+` WHERE `+s.where+` LIMIT `+strconv.Itoa(limit)+`) sample`,
		c.args...).Scan(&f.n, &f.first, &f.last)
	return f
}
