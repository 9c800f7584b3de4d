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

// A choice is a db.TaskFilter on its way to SQL.
type choice struct {
	db.TaskFilter
	args    []any // ?1 is the viewer
	where   []string
	sources []source
}

// A source lists the tasks that fit one part of the filter, by id. A query reads
// one of them and looks at the other parts row by row.
type source struct {
	from, where string
	id          string // the column with the task's id
	check       string // whether the task with the id %s fits; for sources that are not an index of the gallery
	sorted      bool   // read backwards, the newest task comes first
}

// A branch lists a part of the tasks: those that are visible because of of. Each
// is in only one branch of a query.
type branch struct{ of, id, from, where string }

const (
	everything = "gallery g NOT INDEXED"

	// sampled is up to how many tasks of a source are counted to find the one
	// that has the fewest. Dates, which have to be sorted, are worth it up to
	// sampledDates where there is no other source.
	sampled      = 2000
	sampledDates = 3 * sampled
	// fewForWords is how many tasks are looked up in the search index one by one,
	// where each takes a hundred times as long as in a walk through the index.
	fewForWords = 100
)

func choiceOf(f db.TaskFilter) *choice {
	c := &choice{TaskFilter: f, args: []any{f.Viewer}}
	if m := match(f.Query); m != "" {
		found := "search MATCH " + c.arg(m)
		c.joined("search", "search.rowid", found, "EXISTS (SELECT 1 FROM search WHERE "+found+" AND rowid = %s)")
	}
	if f.Collection != 0 {
		in := "c.collection_id = " + c.arg(f.Collection)
		c.joined("collection_tasks c", "c.task_id", in, "EXISTS (SELECT 1 FROM collection_tasks c WHERE "+in+" AND c.task_id = %s)")
		c.where = append(c.where, "EXISTS (SELECT 1 FROM collections WHERE id = "+c.arg(f.Collection)+" AND deleted_at IS NULL)")
	}
	if f.Tag != "" {
		with := "k.tag_id = (SELECT id FROM tags WHERE name_key = " + c.arg(db.TagKey(f.Tag)) + ")"
		c.joined("task_tags k", "k.task_id", with, "EXISTS (SELECT 1 FROM task_tags k WHERE "+with+" AND k.task_id = %s)")
	}
	if f.Starred {
		c.indexed("gallery_starred", "g.starred = 1")
	}
	if f.Maker != 0 {
		c.indexed("gallery_by_maker", "g.user_id = "+c.arg(f.Maker))
	}
	if f.Model != "" {
		c.indexed("gallery_by_model", "g.model = "+c.arg(f.Model))
	}
	if f.Ratio != "" {
		c.indexed("gallery_by_ratio", "g.aspect_ratio = "+c.arg(f.Ratio))
	}
	if f.Scene != "" {
		c.indexed("gallery_by_scene", "g.scene = "+c.arg(f.Scene))
	}
	c.dates()
	return c
}

// dates adds the stretch of time. As tasks are numbered nearly, but not quite,
// in the order of their times, it is a source that has to be sorted.
func (c *choice) dates() {
	span := db.Span{From: c.From, Until: c.Until}
	if when := c.within("g.created_at", span); len(when) > 0 {
		c.where = append(c.where, when...)
		c.sources = append(c.sources, source{
			from: "tasks t INDEXED BY tasks_created", id: "t.id", where: strings.Join(c.within("t.created_at", span), " AND "),
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
	return fmt.Sprintf("?%d", len(c.args))
}

func (c *choice) joined(from, id, where, check string) {
	c.sources = append(c.sources, source{from: from, id: id, where: where, check: check, sorted: true})
}

func (c *choice) indexed(index, where string) {
	c.where = append(c.where, where)
	c.sources = append(c.sources, source{from: "gallery g INDEXED BY " + index, id: "g.id", where: where, sorted: true})
}

// narrowest returns the source to read: the one with the fewest tasks, and the
// whole gallery where there is none. Words are looked up one by one only where
// another source has hardly any tasks; otherwise, where it has few, the walk
// through the words passes over all other tasks.
func (c *choice) narrowest(ctx context.Context, tx *sql.Tx) (source, error) {
	whole := source{from: everything, id: "g.id", sorted: true}
	if len(c.sources) == 0 || len(c.sources) == 1 && c.sources[0].sorted {
		return append(c.sources, whole)[0], nil
	}
	best, fewest, words := whole, sampled, source{}
	for _, s := range c.sources {
		limit := sampled
		if !s.sorted {
			limit = sampledDates
		}
		n, err := count(ctx, tx, `SELECT 1 FROM `+s.from+` WHERE `+s.where+` LIMIT `+strconv.Itoa(limit), c.args)
		if err != nil {
			return best, err
		}
		if s.from == "search" && n >= fewForWords {
			words = s
		}
		if n < fewest || best.from == everything && (s.sorted || n < limit) {
			best, fewest = s, n
		}
	}
	switch {
	case words.from == "" || best.from == words.from || fewest < fewForWords:
		return best, nil
	case fewest < sampled:
		words.where += fmt.Sprintf(" AND +%s IN (SELECT %s FROM %s WHERE %s)", words.id, best.id, best.from, best.where)
	}
	return words, nil
}

// plan returns the queries that together list the tasks. From an index of the
// gallery the team's and the viewer's own are read one after the other.
func (c *choice) plan(ctx context.Context, tx *sql.Tx) ([]branch, error) {
	s, err := c.narrowest(ctx, tx)
	state := cmp.Or(c.State, db.Success)
	own := "TRUE"
	if state != db.AnyState {
		own = "g.state = " + c.arg(state)
	}
	if s.check != "" || !s.sorted {
		return []branch{c.branch(visible, s, s.from+" CROSS JOIN gallery g ON g.id = "+s.id, s.where, own)}, err
	}
	var all []branch
	if state == db.AnyState || state == db.Success {
		all = append(all, c.branch(visibleOfTeam, s, s.from))
	}
	if c.Maker == 0 || c.Maker == c.Viewer {
		all = append(all, c.branch(visibleOfOwn, s, "gallery g INDEXED BY gallery_by_state", own))
	}
	return all, err
}

// branch adds to the conditions all that the source does not see to.
func (c *choice) branch(of string, s source, from string, where ...string) branch {
	where = append(where, of)
	for _, other := range c.sources {
		if other.check != "" && other.from != s.from {
			where = append(where, fmt.Sprintf(other.check, s.id))
		}
	}
	return branch{of, s.id, from, strings.Join(slices.Concat(where, c.where), " AND ")}
}

// page returns the ids of one page, the newest first.
func (c *choice) page(ctx context.Context, tx *sql.Tx, plan []branch) ([]int64, error) {
	before, most := int64(math.MaxInt64), max(0, c.Limit)
	if c.Before > 0 {
		before = c.Before
	}
	if c.Through > 0 {
		most = mostThrough
	}
	bounds := choice{args: slices.Clip(c.args)}
	older, newer, bound := bounds.arg(before), bounds.arg(c.Through), bounds.arg(most)
	var ids []int64
	for _, b := range plan {
		rows, err := tx.QueryContext(ctx, `
			SELECT `+b.id+` FROM `+b.from+` WHERE `+b.where+` AND `+b.id+` < `+older+` AND `+b.id+` >= `+newer+`
			ORDER BY `+b.id+` DESC LIMIT `+bound+` + 0`, bounds.args...)
		found, err := all(rows, err, scanID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(most, len(ids))], nil
}

// count counts the tasks older than the one named, up to so many.
func (c *choice) count(ctx context.Context, tx *sql.Tx, plan []branch, before int64, most int) (total int, err error) {
	bounds := choice{args: slices.Clip(c.args)}
	older, bound := bounds.arg(before), bounds.arg(most)
	for _, b := range plan {
		// In this order it ends soon where the filter asks for what is new.
		n, err := count(ctx, tx, `
			SELECT 1 FROM `+b.from+` WHERE `+b.where+` AND `+b.id+` < `+older+`
			ORDER BY `+b.id+` DESC LIMIT `+bound+` + 0`, bounds.args)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return min(total, most), nil
}

// count returns how many rows a query has.
func count(ctx context.Context, tx *sql.Tx, query string, args []any) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM (`+query+`)`, args...).Scan(&n)
	return n, err
}
