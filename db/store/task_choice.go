package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
)

// A choice is a db.TaskFilter on its way to SQL. Of its args $1 is the viewer;
// $2 is the value of a branch.
type choice struct {
	db.TaskFilter
	args    []any
	sources []source

	// The ids between which the tasks are that fit, as far as narrowest knows.
	first, last int64
}

// A source lists the tasks that fit one part of the filter, by id. A query reads
// one of them and looks at the other parts row by row.
type source struct {
	from, where string
	id          string // the column with the task's id
	check       string // whether the row of the gallery with the id %s fits
	joined      bool   // it is no index of the gallery
	wide        bool   // and yet has its columns, as g
	words       bool   // it is a search index in which one row takes long to be looked up
	sorted      bool   // read backwards, the newest task comes first
	walked      string // where it is not, though there may be many: where for rows that are read in order
	most        int    // how many are counted to find the source with the fewest; 0 for sampled

	// Of several values, what where is for the value $2, and, where a task may have
	// more than one, what is for those that have one of those in place of %s.
	each, also string
	values     []any
}

const (
	everything = "gallery g NOT INDEXED"

	// newest is an id after that of any task.
	newest = math.MaxInt64 - 1

	// sampled is up to how many tasks of a source are counted to find the one
	// that has the fewest. Of dates these are more: where there are so many, a
	// walk through the gallery soon has found as many as are counted.
	sampled      = 2000
	sampledDates = 12_000
	// fewForWords is how many tasks are looked up in the search index one by one,
	// where each takes a hundred times as long as in a walk through the index.
	fewForWords = 100
)

func (s *Store) choiceOf(ctx context.Context, tx *sql.Tx, f db.TaskFilter) (*choice, error) {
	c := &choice{TaskFilter: f, args: []any{f.Viewer, nil}, last: newest}
	if err := s.search(ctx, tx, c); err != nil {
		return nil, err
	}
	if err := filed(ctx, tx, c, "collection_tasks", "collection_id", "SELECT id FROM collections WHERE deleted_at IS NULL AND id", f.Collections); err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range f.Tags {
		keys = append(keys, db.TagKey(name))
	}
	if err := filed(ctx, tx, c, "task_tags", "tag_id", "SELECT id FROM tags WHERE name_key", keys); err != nil {
		return nil, err
	}
	if f.Starred {
		const starred = "g.starred = 1"
		c.sources = append(c.sources, source{from: "gallery g INDEXED BY gallery_starred", id: "g.id", where: starred, check: starred, sorted: true})
	}
	indexed(c, "gallery_by_maker", "g.user_id", f.Makers)
	indexed(c, "gallery_by_model", "g.model", f.Models)
	indexed(c, "gallery_by_ratio", "g.aspect_ratio", f.Ratios)
	indexed(c, "gallery_by_scene", "g.scene", f.Scenes)
	c.dates()
	return c, nil
}

// indexed adds a source that is an index of the gallery.
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

// filed adds a source that is a table of what tasks are filed under. The query, to
// which the values are added, finds the ids of that: with these the server knows how
// many tasks there are.
func filed[T comparable](ctx context.Context, tx *sql.Tx, c *choice, table, column, query string, values []T) error {
	if len(values) == 0 {
		return nil
	}
	by := &choice{}
	ids, err := all(ctx, tx, scanValue[int64], query+" IN ("+by.list(anyOf(values))+")", by.args...)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		ids = []int64{0} // the id of nothing
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
	return nil
}

// oneOf returns the condition that the column has one of the values.
func oneOf[T comparable](c *choice, column string, values []T) string {
	if len(values) == 1 {
		return column + " = " + c.arg(values[0])
	}
	return column + " IN (" + c.list(anyOf(values)) + ")"
}

// list adds the values and returns what stands for them in the query.
func (c *choice) list(values []any) string {
	var list []string
	for _, value := range values {
		list = append(list, c.arg(value))
	}
	return strings.Join(list, ", ")
}

// anyOf returns the values without those that are there twice.
func anyOf[T comparable](values []T) (list []any) {
	for i, value := range values {
		if !slices.Contains(values[:i], value) {
			list = append(list, value)
		}
	}
	return list
}

// dates adds the stretch of time. As tasks are numbered nearly, but not quite,
// in the order of their times, it is a source that has to be sorted; it is the
// last one.
func (c *choice) dates() {
	span := db.Span{From: c.From, Until: c.Until}
	if when := c.within("g.created_at", span); len(when) > 0 {
		c.sources = append(c.sources, source{
			from: "tasks t INDEXED BY tasks_created", id: "t.id", where: strings.Join(c.within("t.created_at", span), " AND "),
			check: strings.Join(when, " AND "), joined: true, most: sampledDates,
		})
	}
}

// within returns the conditions on a time, none for one without an end.
func (c *choice) within(column string, span db.Span) (when []string) {
	if !span.From.IsZero() {
		when = append(when, column+" >= "+c.arg(instant(span.From)))
	}
	if !span.Until.IsZero() {
		when = append(when, column+" < "+c.arg(instant(span.Until)))
	}
	return when
}

// arg adds a value and returns what stands for it in the query.
func (c *choice) arg(value any) string {
	c.args = append(c.args, value)
	return fmt.Sprintf("$%d", len(c.args))
}

// narrowest returns the source to read: the one with the fewest tasks, and the
// whole gallery where there is none. Words are looked up one by one only where
// another source has hardly any tasks; otherwise, where it has few, the walk
// through the words passes over all other tasks. The tasks of a stretch of time
// bound what is read from any source. A word that many tasks have is not looked up in an
// index that gives its tasks in no order: the tasks of another source, or of the whole
// gallery, are read in their order, and those without the word are left out.
func (c *choice) narrowest(ctx context.Context, tx *sql.Tx) (source, error) {
	whole := source{from: everything, where: "TRUE", id: "g.id", sorted: true}
	if len(c.sources) == 0 || len(c.sources) == 1 && (c.sources[0].sorted || c.sources[0].walked != "") {
		return append(c.sources, whole)[0], nil
	}
	best, fewest, words, walk := whole, sampled, source{}, whole
	for _, s := range c.sources {
		limit := cmp.Or(s.most, sampled)
		var n int
		var first, last int64
		if often, err := c.often(ctx, tx, s); err != nil {
			return best, err
		} else if often { // any other source is better, and so is a walk
			s.where, s.walked, s.sorted = s.walked, "", true
			walk = s
			continue
		}
		if err := tx.QueryRowContext(ctx, `
			SELECT count(*), coalesce(min(id), 0), coalesce(max(id), 0)
			FROM (SELECT `+s.id+` AS id FROM `+s.from+` WHERE `+s.where+` LIMIT `+strconv.Itoa(limit)+`) sample`, c.args...).Scan(&n, &first, &last); err != nil {
			return best, err
		}
		if !s.sorted && n < limit {
			c.first, c.last = first, last
			if last-first < int64(4*n) { // hardly any others are between them
				s = whole
			}
		} else if !s.sorted && s.most > 0 {
			continue
		}
		s.sorted = s.sorted || n == limit // so many that a walk in their order soon finds some
		if s.words && n >= fewForWords {
			words = s
		}
		if n < fewest || best.from == everything && s.from != everything {
			best, fewest = s, n
		}
	}
	switch {
	case best.from == everything && walk.from != everything:
		return walk, nil
	case words.from == "" || best.from == words.from || fewest < fewForWords:
		return best, nil
	case fewest < sampled && best.from != everything:
		words.where += fmt.Sprintf(" AND +%s IN (SELECT %s FROM %s WHERE %s)", words.id, best.id, best.from, best.where)
	}
	return words, nil
}
