package video

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/engine"
)

// A branch is a query for a part of the tasks: those that the condition visible lets
// the viewer see and that have one of the values that the source is about. No two
// branches of a plan have a task in common.
type branch struct {
	visible         string // the condition under which the viewer may see the task
	id, from, where string
	args            []any
	order           string // the expression to sort by: the ID, or ID + 0 to prevent a scan of all tasks in ID order
	scanWhere       string // see source
	first, last     int64  // bounds of the IDs, as far as they are known; see choice
	all             bool   // no criterion but visible restricts it
	kept            string // if not empty: a query for totals that say what the branch would count
	narrow          string // if not empty: what lists and counts read instead of from, because it has all columns that they need
}

// planOf translates the filter into a choice and its plan.
func (s *Search) planOf(tx *engine.Tx, f gallery.Filter) (*choice, []branch) {
	c := s.choiceOf(tx, f)
	return c, s.plan(tx, c)
}

// plan returns the plan of the choice, and prepares the transaction for it.
func (s *Search) plan(tx *engine.Tx, c *choice) []branch {
	if len(c.sources) > 0 || len(c.each) > 0 {
		s.db.PlanEach(tx)
	}
	var all []branch
	if strings.TrimSpace(c.Query) != "" && !strings.ContainsFunc(c.Query, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return nil // no word in it can be searched for, such as in an emoji: nothing has it
	}
	for _, part := range c.parts() {
		all = append(all, part.plan(tx)...)
	}
	return all
}

// plan returns the queries that together list the tasks. From an index of the gallery,
// the tasks that the team shares and the viewer's own are read separately, and so are
// the values of a criterion that has several: in the index the tasks of each are in the
// order of the gallery, but all of them together would have to be sorted.
func (c *choice) plan(tx *engine.Tx) (all []branch) {
	defer func() {
		for i := range all {
			all[i].first, all[i].last, all[i].all = c.first, c.last, len(c.sources) == 0
		}
	}()
	s := c.narrowest(tx)
	if !tx.OK() {
		return nil
	}
	states := c.States
	if len(states) == 0 {
		states = []db.State{db.Success}
	}
	var team, own []string // conditions; what the team shares is always finished
	if slices.Contains(states, gallery.AnyState) {
		team, own = []string{visibleOfTeam}, []string{visibleOfOwn}
	} else {
		own = []string{visibleOfOwn + " AND " + oneOf(c, "g.state", states)}
		if slices.Contains(states, db.Success) {
			team = []string{visibleOfTeam}
		}
	}
	if len(c.Makers) > 0 && !slices.Contains(c.Makers, c.Viewer) {
		own = nil
	}
	if s.joined {
		if either := slices.Concat(team, own); len(either) > 0 {
			all = c.branches(s, "("+strings.Join(either, " OR ")+")")
		}
		return all
	}
	for _, visible := range team {
		all = append(all, c.branches(s, visible)...)
	}
	for _, visible := range own {
		all = append(all, c.branches(source{from: "gallery g INDEXED BY gallery_by_state", where: "TRUE", id: "g.id"}, visible)...)
	}
	return all
}

// branches returns the branches of the source, one for each of its values. Each also
// checks the criteria of all other sources.
func (c *choice) branches(s source, visible string) (all []branch) {
	where := visible
	for _, words := range []bool{false, true} { // words last, because they take longest to check
		for _, other := range c.sources {
			if other.check != s.check && other.words == words {
				where += " AND " + strings.ReplaceAll(other.check, "%s", s.id)
			}
		}
	}
	where += strings.ReplaceAll(c.also, "%s", s.id)
	if s.joined && !s.wide {
		s.from += " CROSS JOIN gallery g ON g.id = " + s.id
	}
	if len(s.values) < 2 {
		order := s.id
		if !s.sorted && s.scanWhere == "" {
			// PostgreSQL would scan all tasks in ID order, in the hope of soon finding
			// some that match. There are few, so they are sorted instead.
			order += " + 0"
		}
		b := branch{visible: visible, id: s.id, from: s.from, where: s.where + " AND " + where, args: c.args, order: order}
		if s.from == everything && visible == visibleOfTeam && len(c.sources) == 0 {
			b.narrow = "gallery g INDEXED BY gallery_of_team"
		}
		if s.scanWhere != "" {
			b.scanWhere = s.scanWhere + " AND " + where
		}
		return []branch{b}
	}
	for i, value := range s.values {
		with := choice{args: slices.Clone(c.args)}
		with.args[1] = value
		fits := s.each
		if s.also != "" && i > 0 {
			fits += " AND NOT " + fmt.Sprintf(s.also, with.list(s.values[:i]))
		}
		all = append(all, branch{visible: visible, id: s.id, from: s.from, where: fits + " AND " + where, args: with.args, order: s.id})
	}
	return all
}

// page returns the IDs of one page, the newest first.
func (c *choice) page(tx *engine.Tx, plan []branch) []int64 {
	last, most := int64(newest), max(0, c.Limit)
	if c.Before > 0 {
		last = c.Before - 1
	}
	if c.Through > 0 {
		most = mostThrough
	}
	var ids []int64
	for _, b := range plan {
		ids = append(ids, b.list(tx, max(c.Through, b.first), min(last, b.last), false, most)...)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(most, len(ids))]
}

// between is like list, with a single query.
func (b branch) between(tx *engine.Tx, first, last int64, oldest bool, most int) []int64 {
	query, args := b.query(b.id, first, last, oldest, most)
	return engine.All(tx, engine.ScanValue[int64], query, args...)
}

// query returns the query for the columns of the branch's tasks: see between.
func (b branch) query(columns string, first, last int64, oldest bool, most int) (query string, args []any) {
	bounds := choice{args: slices.Clip(b.args)}
	order := " DESC"
	if oldest {
		order = " ASC"
	}
	query = `
		SELECT ` + columns + ` FROM ` + cmp.Or(b.narrow, b.from) + ` WHERE ` + b.where + bounds.ids(b.id, first, last) + `
		ORDER BY ` + b.order + order + ` LIMIT ` + bounds.arg(most) + ` + 0`
	return query, bounds.args
}

// ids returns the condition that the column has an ID from first to last. It is empty
// if that excludes none.
func (c *choice) ids(column string, first, last int64) (where string) {
	if first > 0 {
		where += " AND " + column + " >= " + c.arg(first)
	}
	if last < newest {
		where += " AND " + column + " <= " + c.arg(last)
	}
	return where
}

// bounded adds the bounds of each branch to its condition, for queries that have no others.
func bounded(plan []branch) []branch {
	for i, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		plan[i].where += bounds.ids(b.id, b.first, b.last)
		plan[i].args = bounds.args
	}
	return plan
}

// countBetween counts the tasks with an ID from first to last, up to most.
func countBetween(tx *engine.Tx, plan []branch, first, last int64, most int) (total int) {
	for _, b := range plan {
		if total == most {
			break
		}
		total += b.count(tx, max(first, b.first), min(last, b.last), most-total)
	}
	return total
}

// countUp is like count, with a single query. order is its ORDER BY clause, which may
// be empty.
func (b branch) countUp(tx *engine.Tx, first, last int64, most int, order string) int {
	bounds := choice{args: slices.Clip(b.args)}
	return tx.Count(`SELECT 1 FROM `+cmp.Or(b.narrow, b.from)+` WHERE `+b.where+bounds.ids(b.id, first, last)+order+` LIMIT `+bounds.arg(most)+` + 0`, bounds.args...)
}

// next returns the ID of the matching task that is next to the one with the ID: the
// newer or the older one. It returns 0 if there is none.
func next(tx *engine.Tx, plan []branch, id int64, newer bool) (found int64) {
	first, last, pick := int64(0), id-1, slices.Max[[]int64]
	if newer {
		first, last, pick = id+1, newest, slices.Min[[]int64]
	}
	var ids []int64
	for _, b := range plan {
		ids = append(ids, b.list(tx, max(first, b.first), min(last, b.last), newer, 1)...)
	}
	if !tx.OK() || len(ids) == 0 {
		return 0
	}
	return pick(ids)
}
