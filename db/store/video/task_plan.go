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
	if strings.TrimSpace(c.Query) != "" &&
		!strings.ContainsFunc(c.Query, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
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
	return tx.Count(`SELECT 1 FROM `+cmp.Or(b.narrow, b.from)+` WHERE `+b.where+
		bounds.ids(b.id, first, last)+order+` LIMIT `+bounds.arg(most)+` + 0`, bounds.args...)
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

// PostgreSQL's index of words lists rows in no order: all rows with a word have to be
// found before the newest of them is known. If the word is frequent, a scan of the
// tasks, the newest first, finds the first matches sooner. How frequent a word is gets
// estimated from the newest tasks.

// scanWindows are the numbers of IDs that are scanned, one after the other, before such
// an index is used.
var scanWindows = []int64{1000, 16_000}

const (
	// frequent is the share of tasks from which a word counts as frequent: then
	// skipping the tasks without the word takes less time than reading it from the
	// index.
	frequent = 0.05
	// worthScanning is the share of tasks that has to match for a scan to find as many
	// as are counted in less time than the index would take.
	worthScanning = 0.03
)

// search adds the source of the tasks that contain the terms of the query.
func (s *Search) search(tx *engine.Tx, c *choice, terms []string) {
	if s.db.Match(terms) == "" {
		return
	}
	index, all := s.db.Index(), c.arg(s.db.Match(terms))
	words := source{
		from: index.From, id: index.ID, where: fmt.Sprintf(index.Where, all), joined: true, wide: index.Wide,
		sorted: index.ScanWhere == "", words: true, check: fmt.Sprintf(index.Check, all, "%s"),
	}
	if index.ScanWhere != "" {
		words.scanWhere = fmt.Sprintf(index.ScanWhere, all)
		common, rare := s.splitByFrequency(tx, terms)
		if tx.OK() && len(common) > 0 && len(rare) > 0 {
			words.where = fmt.Sprintf(index.Where, c.arg(s.db.Match(rare))) + " AND " +
				fmt.Sprintf(index.ScanWhere, c.arg(s.db.Match(common)))
		}
	}
	c.sources = append(c.sources, words)
}

// splitByFrequency separates the terms that many of the newest tasks contain from those
// that few contain. It does not look at a single term.
func (s *Search) splitByFrequency(tx *engine.Tx, terms []string) (common, rare []string) {
	if len(terms) < 2 {
		return nil, nil
	}
	last := newestID(tx)
	var c choice
	index, many, into, sums := s.db.Index(), make([]int, len(terms)), make([]any, len(terms)), ""
	for i, term := range terms {
		into[i] = &many[i]
		sums += ", count(*) FILTER (WHERE " + fmt.Sprintf(index.ScanWhere, c.arg(s.db.Match([]string{term}))) + ")"
	}
	tx.Row(`SELECT `+sums[2:]+` FROM `+index.From+` WHERE `+index.ID+` > `+c.arg(last-scanWindows[0]), c.args...).Scan(into...)
	for i, term := range terms {
		if float64(many[i]) >= frequent*float64(scanWindows[0]) {
			common = append(common, term)
		} else {
			rare = append(rare, term)
		}
	}
	return common, rare
}

// list returns up to most of the branch's IDs from first to last, beginning with the
// newest or, if oldest is set, with the oldest. If the source has no order, it first
// scans windows of IDs at that end, where frequent matches are found soon. Other
// matches are so few that they are read from the index and sorted.
func (b branch) list(tx *engine.Tx, first, last int64, oldest bool, most int) (ids []int64) {
	if b.scanWhere == "" {
		return b.between(tx, first, last, oldest, most)
	}
	if last >= newest {
		last = newestID(tx)
	}
	for _, window := range scanWindows {
		if !tx.OK() || first > last || len(ids) == most {
			return ids
		}
		from, to := max(first, last-window+1), last
		if oldest {
			from, to = first, min(last, first+window-1)
		}
		found := b.scan().between(tx, from, to, oldest, most-len(ids))
		if !tx.OK() {
			return nil
		}
		ids = append(ids, found...)
		if oldest {
			first = to + 1
		} else {
			last = from - 1
		}
		if int64(len(found))*scanWindows[1] < int64(most)*scanWindows[0] {
			break // a longer window would not have enough matches either
		}
	}
	if first <= last && len(ids) < most {
		b.order += " + 0"
		ids = append(ids, b.between(tx, first, last, oldest, most-len(ids))...)
	}
	return ids
}

// scan returns the branch in the form that reads rows in the order of the IDs.
func (b branch) scan() branch {
	b.where = b.scanWhere
	return b
}

// count counts the branch's tasks with an ID from first to last, up to most.
func (b branch) count(tx *engine.Tx, first, last int64, most int) (total int) {
	if b.scanWhere == "" {
		// In this order the query ends soon if the filter asks for recent tasks.
		return b.countUp(tx, first, last, most, ` ORDER BY `+b.order+` DESC`)
	}
	if last >= newest {
		last = newestID(tx)
	}
	from := max(first, last-scanWindows[0]+1)
	if total = b.scan().countUp(tx, from, last, most, ""); !tx.OK() || from <= first || total == most {
		return total
	}
	order := ""
	if float64(total) >= worthScanning*float64(last-from+1) {
		b, order = b.scan(), ` ORDER BY `+b.order+` DESC`
	}
	return total + b.countUp(tx, first, from-1, most-total, order)
}

// isFrequent reports whether a source without an order has so many of the newest tasks
// that reading its index takes longer than checking the tasks of any other source.
func (c *choice) isFrequent(tx *engine.Tx, s source) bool {
	if s.scanWhere == "" {
		return false
	}
	last := newestID(tx)
	scan := choice{args: slices.Clip(c.args)}
	n := tx.Count(`SELECT 1 FROM `+s.from+` WHERE `+s.scanWhere+scan.ids(s.id, last-scanWindows[0]+1, last), scan.args...)
	return float64(n) >= worthScanning*float64(scanWindows[0])
}

// newestID returns the highest ID in the gallery, or 0 if it is empty.
func newestID(tx *engine.Tx) int64 {
	return engine.Value[int64](tx, `SELECT coalesce(max(id), 0) FROM gallery`)
}
