package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"dailies/db"
)

// A branch lists a part of the tasks: those that are visible because of of, and
// have one of the values that the source is about. Each task is in only one
// branch of a query.
type branch struct {
	of, id, from, where string
	args                []any
	order               string // the id, in a form that tells whether an index has its order
	walked              string // where the tasks come in no order, though there may be many: where for rows that are read in order
}

// planOf returns the choice of the filter and its plan.
func (s *Store) planOf(ctx context.Context, tx *sql.Tx, f db.TaskFilter) (*choice, []branch, error) {
	c, err := s.choiceOf(ctx, tx, f)
	if err != nil {
		return nil, nil, err
	}
	plan, err := s.plan(ctx, tx, c)
	return c, plan, err
}

func (s *Store) plan(ctx context.Context, tx *sql.Tx, c *choice) ([]branch, error) {
	if len(c.sources) > 0 {
		if err := s.engine.PlanEach(ctx, tx); err != nil {
			return nil, err
		}
	}
	return c.plan(ctx, tx)
}

// plan returns the queries that together list the tasks. From an index of the
// gallery the team's and the viewer's own are read one after the other. So are
// the values of a filter that has several: in an index each of them has the
// order of the gallery, but all together would have to be sorted.
func (c *choice) plan(ctx context.Context, tx *sql.Tx) ([]branch, error) {
	s, err := c.narrowest(ctx, tx)
	states := c.States
	if len(states) == 0 {
		states = []db.State{db.Success}
	}
	var team, own []string // what the team shares is ready
	if slices.Contains(states, db.AnyState) {
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
	var all []branch
	if s.joined {
		if either := slices.Concat(team, own); len(either) > 0 {
			all = c.branches(s, "("+strings.Join(either, " OR ")+")")
		}
		return all, err
	}
	for _, of := range team {
		all = append(all, c.branches(s, of)...)
	}
	for _, of := range own {
		all = append(all, c.branches(source{from: "gallery g INDEXED BY gallery_by_state", where: "TRUE", id: "g.id"}, of)...)
	}
	return all, err
}

// branches returns the branches of the source, one for each of its values. Each
// looks at all that the source does not see to.
func (c *choice) branches(s source, of string) (all []branch) {
	where := of
	for _, other := range c.sources {
		if other.from != s.from {
			where += " AND " + strings.ReplaceAll(other.check, "%s", s.id)
		}
	}
	if s.joined && !s.wide {
		s.from += " CROSS JOIN gallery g ON g.id = " + s.id
	}
	if len(s.values) < 2 {
		order := s.id
		if !s.sorted && s.walked == "" {
			// A server would walk through all tasks in their order, in the hope that
			// it soon finds some that fit. There are few, so they are sorted.
			order += " + 0"
		}
		b := branch{of, s.id, s.from, s.where + " AND " + where, c.args, order, ""}
		if s.walked != "" {
			b.walked = s.walked + " AND " + where
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
		all = append(all, branch{of, s.id, s.from, fits + " AND " + where, with.args, s.id, ""})
	}
	return all
}

// page returns the ids of one page, the newest first.
func (c *choice) page(ctx context.Context, tx *sql.Tx, plan []branch) ([]int64, error) {
	last, most := c.last, max(0, c.Limit)
	if c.Before > 0 {
		last = min(last, c.Before-1)
	}
	if c.Through > 0 {
		most = mostThrough
	}
	var ids []int64
	for _, b := range plan {
		found, err := b.list(ctx, tx, max(c.Through, c.first), last, false, most)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(most, len(ids))], nil
}

// between is list in one query.
func (b branch) between(ctx context.Context, tx *sql.Tx, first, last int64, oldest bool, most int) ([]int64, error) {
	bounds := choice{args: slices.Clip(b.args)}
	order := " DESC"
	if oldest {
		order = " ASC"
	}
	return all(ctx, tx, scanValue[int64], `
		SELECT `+b.id+` FROM `+b.from+` WHERE `+b.where+bounds.ids(b.id, first, last)+`
		ORDER BY `+b.order+order+` LIMIT `+bounds.arg(most)+` + 0`, bounds.args...)
}

// ids returns the condition that the column has an id from first to last, which is
// empty where all have.
func (c *choice) ids(column string, first, last int64) (where string) {
	if first > 0 {
		where += " AND " + column + " >= " + c.arg(first)
	}
	if last < newest {
		where += " AND " + column + " <= " + c.arg(last)
	}
	return where
}

// bounded returns the plan for queries that have no bounds of their own.
func (c *choice) bounded(plan []branch) []branch {
	if c.last == newest {
		return plan
	}
	for i, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		plan[i].where += bounds.ids(b.id, c.first, c.last)
		plan[i].args = bounds.args
	}
	return plan
}

// countBetween counts the tasks with an id from first to last, up to so many.
func (c *choice) countBetween(ctx context.Context, tx *sql.Tx, plan []branch, first, last int64, most int) (total int, err error) {
	first, last = max(first, c.first), min(last, c.last)
	for _, b := range plan {
		n, err := b.count(ctx, tx, first, last, most-total)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// countUp is count in one query.
func (b branch) countUp(ctx context.Context, tx *sql.Tx, first, last int64, most int, order string) (int, error) {
	bounds := choice{args: slices.Clip(b.args)}
	return count(ctx, tx, `SELECT 1 FROM `+b.from+` WHERE `+b.where+bounds.ids(b.id, first, last)+order+` LIMIT `+bounds.arg(most)+` + 0`, bounds.args)
}

// next returns the ids of the tasks next to the one named that fit, 0 for none:
// the newer one, or the older.
func (c *choice) next(ctx context.Context, tx *sql.Tx, plan []branch, id int64, newer bool) (found int64, err error) {
	first, last, pick := c.first, min(id-1, c.last), slices.Max[[]int64]
	if newer {
		first, last, pick = max(id+1, c.first), c.last, slices.Min[[]int64]
	}
	var ids []int64
	for _, b := range plan {
		found, err := b.list(ctx, tx, first, last, newer, 1)
		if err != nil {
			return 0, err
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	return pick(ids), nil
}

// count returns how many rows a query has.
func count(ctx context.Context, tx *sql.Tx, query string, args []any) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM (`+query+`) row`, args...).Scan(&n)
	return n, err
}
