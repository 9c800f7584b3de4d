package video

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Search finds videos.
type Search struct {
	db *kit.DB
}

// mostThrough bounds a page that extends to a given task: see db.TaskFilter.Through.
const mostThrough = 1000

// Tasks returns the tasks that match the filter and that the viewer may see, the newest
// first, with their media. With Through they are at most 1,000.
func (s *Search) Tasks(ctx context.Context, f db.TaskFilter) ([]db.Task, error) {
	tasks, _, err := s.tasks(ctx, f, false)
	return tasks, err
}

// CountedTasks is like Tasks, and also returns the total number of matches on all
// pages. If there are more than f.MostCounted(), the total is one more than that.
func (s *Search) CountedTasks(ctx context.Context, f db.TaskFilter) (tasks []db.Task, total int, err error) {
	return s.tasks(ctx, f, true)
}

// Listing returns the first page of the matches, with their total, and how many there are
// on each day of the first shown tasks, in the time zone.
func (s *Search) Listing(ctx context.Context, f db.TaskFilter, shown int, zone *time.Location) (l db.Listing, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		c, plan, err := s.planOf(ctx, tx, f)
		if err != nil {
			return err
		}
		ids, every, err := c.countedPage(ctx, tx, plan, &l.Total)
		if err != nil {
			return err
		}
		if l.Tasks, err = loadListed(ctx, tx, f.Viewer, ids); err != nil {
			return err
		}
		l.Days = f.DaysOf(l.Tasks[:min(shown, len(l.Tasks))], zone)
		if every == nil {
			l.Many, err = s.countSpans(ctx, tx, c.during(around(l.Days)), l.Days)
		} else {
			l.Many, err = countAmong(ctx, tx, every, l.Days)
		}
		return err
	})
	return l, engine.About("tasks", err)
}

// tasks selects and loads the tasks in one transaction, and checks each of them again
// with db.Task.ListedFor.
func (s *Search) tasks(ctx context.Context, f db.TaskFilter, counted bool) (tasks []db.Task, total int, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		c, plan, err := s.planOf(ctx, tx, f)
		if err != nil {
			return err
		}
		var ids []int64
		if counted {
			ids, _, err = c.countedPage(ctx, tx, plan, &total)
		} else {
			ids, err = c.page(ctx, tx, plan)
		}
		if err != nil {
			return err
		}
		tasks, err = loadListed(ctx, tx, f.Viewer, ids)
		return err
	})
	return tasks, total, engine.About("tasks", err)
}

// countedPage returns the IDs of the page, and sets the total. If there are words, which
// take long to check, it looks for the page and the total in one go, unless tasks with
// words are found in no order: see list. If it has found all matches in that way, every
// has their IDs; otherwise it is nil.
func (c *choice) countedPage(ctx context.Context, tx *sql.Tx, plan []branch, total *int) (page, every []int64, err error) {
	scanned := slices.ContainsFunc(plan, func(b branch) bool { return b.scanWhere != "" })
	if c.Query == "" || c.Before > 0 || c.Through > 0 || c.Limit > c.MostCounted() || scanned {
		if page, err = c.page(ctx, tx, plan); err == nil {
			*total, err = c.total(ctx, tx, plan, page)
		}
		return page, nil, err
	}
	counted := *c
	counted.Limit = c.MostCounted() + 1
	every, err = counted.page(ctx, tx, plan)
	page, *total = every[:min(max(0, c.Limit), len(every))], len(every)
	if len(every) == counted.Limit {
		every = nil
	}
	return page, every, err
}

// total counts all matches. If ids is the first page, only the others have to be
// counted.
func (c *choice) total(ctx context.Context, tx *sql.Tx, plan []branch, ids []int64) (int, error) {
	on, before := 0, int64(newest)
	if c.Before == 0 && c.Through == 0 {
		on = len(ids)
		if on < c.Limit {
			return on, nil
		}
		if on > 0 {
			before = ids[on-1] - 1
		}
	}
	rest, err := c.countBetween(ctx, tx, plan, 0, before, c.MostCounted()+1-on)
	return on + rest, err
}

// PlaceOf returns the position and the neighbours of the task among all matches of the
// filter. A task that does not match has neighbours, but no position.
func (s *Search) PlaceOf(ctx context.Context, f db.TaskFilter, taskID int64) (place db.Place, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		c, plan, err := s.planOf(ctx, tx, f)
		if err != nil {
			return err
		}
		if place.Previous, err = c.next(ctx, tx, plan, taskID, true); err != nil {
			return err
		}
		if place.Next, err = c.next(ctx, tx, plan, taskID, false); err != nil {
			return err
		}
		newer, err := c.countBetween(ctx, tx, plan, taskID+1, newest, c.MostCounted())
		if err != nil {
			return err
		}
		itself, err := c.countBetween(ctx, tx, plan, taskID, taskID, 1)
		if err != nil {
			return err
		}
		if itself == 1 {
			place.Position = newer + 1
		}
		older, err := c.countBetween(ctx, tx, plan, 0, taskID-1, c.MostCounted()+1-newer-itself)
		place.Total = newer + itself + older
		return err
	})
	return place, engine.About("place of "+engine.Task(taskID), err)
}

// TasksOf returns those of the tasks that lists show to the viewer, in the order of the
// IDs, with their media.
func (s *Search) TasksOf(ctx context.Context, viewer int64, ids []int64) ([]db.Task, error) {
	var tasks []db.Task
	err := s.db.Read(ctx, func(tx *sql.Tx) (err error) {
		tasks, err = loadListed(ctx, tx, viewer, ids)
		return err
	})
	return tasks, engine.About("chosen tasks", err)
}

// loadListed is like loadTasks, but leaves out tasks that lists do not show to the
// viewer.
func loadListed(ctx context.Context, tx *sql.Tx, viewer int64, ids []int64) ([]db.Task, error) {
	tasks, err := loadTasks(ctx, tx, ids)
	return slices.DeleteFunc(tasks, func(t db.Task) bool { return !t.ListedFor(viewer) }), err
}

// visible is the rule of db.Task.VisibleTo as an SQL condition on a row g of the table
// gallery, with the viewer $1. The table has every task that is not in the bin, and its
// column team is the second part of the rule.
const visible = `(g.team = 1 OR g.user_id = $1)`

// The two disjoint halves of visible. Each can be read from an index in the order of
// the gallery.
const (
	visibleOfTeam = `g.team = 1`
	visibleOfOwn  = `g.team = 0 AND g.user_id = $1`
)
