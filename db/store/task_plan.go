package store

import (
	"cmp"
	"context"
	"database/sql"
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
	if s.joined {
		s.from += " CROSS JOIN gallery g ON g.id = " + s.id
	}
	if len(s.values) < 2 {
		order := s.id
		if !s.sorted {
			// A server would walk through all tasks in their order, in the hope that
			// it soon finds some that fit. There are few, so they are sorted.
			order += " + 0"
		}
		return []branch{{of, s.id, s.from, s.where + " AND " + where, c.args, order}}
	}
	for i, value := range s.values {
		args, before := slices.Clone(c.args), s.values[:i]
		args[1], args[2] = value, asJSON(&before)
		all = append(all, branch{of, s.id, s.from, s.each + " AND " + where, args, s.id})
	}
	return all
}

// page returns the ids of one page, the newest first.
func (c *choice) page(ctx context.Context, tx *sql.Tx, plan []branch) ([]int64, error) {
	before, most := c.last+1, max(0, c.Limit)
	if c.Before > 0 {
		before = min(before, c.Before)
	}
	if c.Through > 0 {
		most = mostThrough
	}
	var ids []int64
	for _, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		older, newer, bound := bounds.arg(before), bounds.arg(max(c.Through, c.first)), bounds.arg(most)
		found, err := all(ctx, tx, scanValue[int64], `
			SELECT `+b.id+` FROM `+b.from+` WHERE `+b.where+` AND `+b.id+` < `+older+` AND `+b.id+` >= `+newer+`
			ORDER BY `+b.order+` DESC LIMIT `+bound+` + 0`, bounds.args...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(most, len(ids))], nil
}

// bounded returns the plan for queries that have no bounds of their own.
func (c *choice) bounded(plan []branch) []branch {
	if c.last == newest {
		return plan
	}
	for i, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		plan[i].where += ` AND ` + b.id + ` BETWEEN ` + bounds.arg(c.first) + ` AND ` + bounds.arg(c.last)
		plan[i].args = bounds.args
	}
	return plan
}

// countBetween counts the tasks with an id from first to last, up to so many.
func (c *choice) countBetween(ctx context.Context, tx *sql.Tx, plan []branch, first, last int64, most int) (total int, err error) {
	for _, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		from, to, bound := bounds.arg(max(first, c.first)), bounds.arg(min(last, c.last)), bounds.arg(most-total)
		// In this order it ends soon where the filter asks for what is new.
		n, err := count(ctx, tx, `
			SELECT 1 FROM `+b.from+` WHERE `+b.where+` AND `+b.id+` BETWEEN `+from+` AND `+to+`
			ORDER BY `+b.order+` DESC LIMIT `+bound+` + 0`, bounds.args)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// next returns the ids of the tasks next to the one named that fit, 0 for none:
// the newer one, or the older.
func (c *choice) next(ctx context.Context, tx *sql.Tx, plan []branch, id int64, newer bool) (found int64, err error) {
	first, last, order, pick := c.first, min(id-1, c.last), " DESC", slices.Max[[]int64]
	if newer {
		first, last, order, pick = max(id+1, c.first), c.last, " ASC", slices.Min[[]int64]
	}
	var ids []int64
	for _, b := range plan {
		bounds := choice{args: slices.Clip(b.args)}
		found, err := all(ctx, tx, scanValue[int64], `
			SELECT `+b.id+` FROM `+b.from+` WHERE `+b.where+` AND `+b.id+` BETWEEN `+bounds.arg(first)+` AND `+bounds.arg(last)+`
			ORDER BY `+b.order+order+` LIMIT 1`, bounds.args...)
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
