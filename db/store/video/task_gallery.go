package video

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Search finds videos.
type Search struct {
	db *teamdb.DB
}

// mostThrough bounds a page that extends to a given task: see gallery.Filter.Through.
const mostThrough = 1000

// Tasks returns the tasks that match the filter and that the viewer may see, the newest
// first, with their media. With Through they are at most 1,000.
func (s *Search) Tasks(ctx context.Context, f gallery.Filter) ([]db.Task, error) {
	tasks, _, err := s.tasks(ctx, f, false)
	return tasks, err
}

// CountedTasks is like Tasks, and also returns the total number of matches on all
// pages. If there are more than f.MostCounted(), the total is one more than that.
func (s *Search) CountedTasks(ctx context.Context, f gallery.Filter) (tasks []db.Task, total int, err error) {
	return s.tasks(ctx, f, true)
}

// Listing returns the first page of the matches, with their total, and how many there are
// on each day of the first shown tasks, in the time zone.
func (s *Search) Listing(ctx context.Context, f gallery.Filter, shown int, zone *time.Location) (l gallery.Listing, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		c, plan := s.planOf(tx, f)
		ids, found := c.countedPage(tx, plan, &l.Total)
		l.Tasks = loadListed(tx, f.Viewer, ids)
		l.Days = f.DaysOf(l.Tasks[:min(shown, len(l.Tasks))], zone)
		whole := c.hasAllOf(tx, found, ids, l.Days)
		if !tx.OK() {
			return
		}
		if whole {
			l.Many = countAmong(found, l.Days)
		} else {
			l.Many = s.countSpans(tx, c.during(extentOf(l.Days)), l.Days)
		}
	})
	return l, engine.About("tasks", err)
}

// tasks selects and loads the tasks in one transaction, and checks each of them again
// with db.Task.ListedFor.
func (s *Search) tasks(ctx context.Context, f gallery.Filter, counted bool) (tasks []db.Task, total int, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		c, plan := s.planOf(tx, f)
		var ids []int64
		if counted {
			ids, _ = c.countedPage(tx, plan, &total)
		} else {
			ids = c.page(tx, plan)
		}
		tasks = loadListed(tx, f.Viewer, ids)
	})
	return tasks, total, engine.About("tasks", err)
}

// A dated task is one of which no more is known than when it was created.
type dated struct {
	id int64
	at time.Time
}

// countedPage returns the IDs of the page, and sets the total. If there are words, which
// take long to check, it looks for the page and the total in one go, unless tasks with
// words are found in no order (see list) or words are names, too. Then found are the newest
// matches: as many as are counted. Otherwise it is nil.
func (c *choice) countedPage(tx *engine.Tx, plan []branch, total *int) (page []int64, found []dated) {
	scanned := slices.ContainsFunc(plan, func(b branch) bool { return b.scanWhere != "" })
	if c.Query == "" || len(c.each) > 0 || c.Before > 0 || c.Through > 0 || c.Limit > c.MostCounted() || scanned {
		page = c.page(tx, plan)
		*total = c.total(tx, plan, page)
		return page, nil
	}
	most := c.MostCounted() + 1
	for _, b := range plan {
		found = append(found, b.dated(tx, most)...)
	}
	slices.SortFunc(found, func(a, b dated) int { return cmp.Compare(b.id, a.id) })
	found = found[:min(most, len(found))]
	*total = len(found)
	for _, d := range found[:min(max(0, c.Limit), len(found))] {
		page = append(page, d.id)
	}
	return page, found
}

// dated returns the newest tasks of the branch, up to most. They are read as one text: a
// thousand rows would take several times as long.
func (b branch) dated(tx *engine.Tx, most int) (tasks []dated) {
	query, args := b.query(b.id+" AS id, g.created_at AS at", b.first, b.last, false, most)
	text := engine.Value[string](tx,
		`SELECT coalesce(string_agg(CAST(id AS TEXT) || ' ' || CAST(at AS TEXT), ' '), '') FROM (`+query+`) newest`, args...)
	numbers := strings.Fields(text)
	for pair := range slices.Chunk(numbers, 2) {
		id, err := strconv.ParseInt(pair[0], 10, 64)
		tx.Check(err)
		at, err := strconv.ParseInt(pair[1], 10, 64)
		tx.Check(err)
		tasks = append(tasks, dated{id, time.UnixMilli(at)})
	}
	return tasks
}

// worthCounting is how many of the newest tasks are looked at to be sure of the days of the
// newest matches.
const worthCounting = 20_000

// hasAllOf reports whether it is certain that the newest matches, which countedPage has found
// beside the page, are all that were created in the spans of time. Tasks are nearly, but not
// exactly, in the order of the times at which they were created.
func (c *choice) hasAllOf(tx *engine.Tx, found []dated, page []int64, spans []gallery.Span) bool {
	if len(found) <= c.MostCounted() {
		return found != nil
	}
	if len(page) == 0 || page[0]-page[len(page)-1] > worthCounting {
		return false
	}
	var older choice
	when := append(older.within("created_at", extentOf(spans)), "id < "+older.arg(found[len(found)-1].id))
	other := engine.Value[bool](tx,
		`SELECT EXISTS (SELECT 1 FROM tasks INDEXED BY tasks_created WHERE `+strings.Join(when, " AND ")+`)`, older.args...)
	return tx.OK() && !other
}

// total counts all matches. If ids is the first page, only the others have to be
// counted.
func (c *choice) total(tx *engine.Tx, plan []branch, ids []int64) int {
	on, before := 0, int64(newest)
	if c.Before == 0 && c.Through == 0 {
		on = len(ids)
		if on < c.Limit {
			return on
		}
		if on > 0 {
			before = ids[on-1] - 1
		}
	}
	most := c.MostCounted() + 1
	if shared, rest, ok := c.sharedTotal(tx, plan); ok && tx.OK() {
		return min(most, shared+countBetween(tx, rest, 0, newest, max(0, most-shared)))
	}
	return on + countBetween(tx, plan, 0, before, most-on)
}

// sharedTotal returns how many of the matches the team shares, from the totals that triggers
// keep, and the branches of the others. It returns false if these totals do not tell.
func (c *choice) sharedTotal(tx *engine.Tx, plan []branch) (total int, rest []branch, ok bool) {
	query, args := keptQuery(c.Filter, gallery.ByState)
	if query == "" || len(c.each) > 0 {
		return 0, nil, false
	}
	for _, b := range plan {
		if b.visible == visibleOfTeam {
			ok = true
		} else {
			rest = append(rest, b)
		}
	}
	if !ok {
		return 0, nil, false
	}
	return engine.Value[int](tx, `SELECT CAST(coalesce(sum(many), 0) AS BIGINT) FROM (`+query+`) kept`, args...), rest, true
}

// PlaceOf returns the position and the neighbours of the task among all matches of the
// filter. A task that does not match has neighbours, but no position.
func (s *Search) PlaceOf(ctx context.Context, f gallery.Filter, taskID int64) (place gallery.Place, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		_, plan := s.planOf(tx, f)
		place.Previous = next(tx, plan, taskID, true)
		place.Next = next(tx, plan, taskID, false)
		newer := countBetween(tx, plan, taskID+1, newest, f.MostCounted())
		itself := countBetween(tx, plan, taskID, taskID, 1)
		if tx.OK() && itself == 1 {
			place.Position = newer + 1
		}
		older := countBetween(tx, plan, 0, taskID-1, f.MostCounted()+1-newer-itself)
		place.Total = newer + itself + older
	})
	return place, engine.About("place of "+engine.Task(taskID), err)
}

// Unfinished returns the person's own tasks without a video, with an ID from first to last,
// the newest first, at most as many as most: those that are running or need a decision, and
// those that have ended since then, unless the person has dismissed them.
func (s *Search) Unfinished(ctx context.Context, userID int64, since time.Time, first, last int64, most int) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "unfinished tasks of "+engine.User(userID), func(tx *engine.Tx) []db.Task {
		c := choice{args: []any{userID, most}}
		var newestOf []string // of each state, because the index has them in this order
		for _, state := range db.States() {
			if state == db.Success {
				continue
			}
			newestOf = append(newestOf, `SELECT * FROM (
				SELECT g.id FROM gallery g INDEXED BY gallery_by_state
				WHERE `+visibleOfOwn+` AND g.state = `+c.arg(state)+c.ids("g.id", first, last)+`
				ORDER BY g.id DESC LIMIT $2 + 0) `+string(state))
		}
		return LoadSelected(tx, `
			SELECT t.id FROM (`+strings.Join(newestOf, ` UNION ALL `)+`) own JOIN tasks t ON t.id = own.id
			WHERE t.active = 1 OR t.decided_at IS NULL AND t.created_at >= `+c.arg(engine.Instant(since))+`
			ORDER BY t.id DESC LIMIT $2 + 0`, c.args...)
	})
}

// TasksOf returns those of the tasks that lists show to the viewer, in the order of the
// IDs, with their media.
func (s *Search) TasksOf(ctx context.Context, viewer int64, ids []int64) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "chosen tasks", func(tx *engine.Tx) []db.Task { return loadListed(tx, viewer, ids) })
}

// loadListed is like loadTasks, but leaves out tasks that lists do not show to the
// viewer.
func loadListed(tx *engine.Tx, viewer int64, ids []int64) []db.Task {
	tasks := loadTasks(tx, ids)
	return slices.DeleteFunc(tasks, func(t db.Task) bool { return !t.ListedFor(viewer) })
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

// mostAlso is how many people, and how many tags, are named beside what words have found.
const mostAlso = 4

// Also returns the people and the tags in whose names words of the query are, with how
// many of their videos the viewer may see. Those without any are left out.
func (s *Search) Also(ctx context.Context, viewer int64, query string) (gallery.Also, error) {
	return engine.Read(ctx, s.db, "names with "+query, func(tx *engine.Tx) (also gallery.Also) {
		if len(engine.Terms(query)) == 0 {
			return also
		}
		names := s.db.Names(tx)
		also.People = s.withVideos(tx, names.People, query, func(n teamdb.Name) gallery.Filter {
			return gallery.Filter{Viewer: viewer, Makers: []int64{n.ID}}
		})
		also.Tags = s.withVideos(tx, names.Tags, query, func(n teamdb.Name) gallery.Filter {
			return gallery.Filter{Viewer: viewer, Tags: []string{n.Name}}
		})
		return also
	})
}

// withVideos returns those of the names that contain words of the query and have videos:
// first those that contain the most words.
func (s *Search) withVideos(
	tx *engine.Tx, names []teamdb.Name, query string, with func(teamdb.Name) gallery.Filter,
) (found []gallery.Named) {
	words := slices.DeleteFunc(strings.Fields(query), func(word string) bool { return len(engine.Terms(word)) == 0 })
	phrases := make([][][]string, len(words))
	for i, word := range words {
		phrases[i] = teamdb.Phrases(word)
	}
	var fits []gallery.Named
	for _, n := range names {
		var rest []string // words that are not in the name
		for i, word := range words {
			if !n.Has(phrases[i]...) {
				rest = append(rest, word)
			}
		}
		if len(rest) < len(words) {
			fits = append(fits, gallery.Named{ID: n.ID, Name: n.Name, Rest: strings.Join(rest, " ")})
		}
	}
	slices.SortStableFunc(fits, func(a, b gallery.Named) int { return len(strings.Fields(a.Rest)) - len(strings.Fields(b.Rest)) })
	for _, n := range fits[:min(4*mostAlso, len(fits))] {
		_, plan := s.planOf(tx, with(teamdb.Name{ID: n.ID, Name: n.Name}))
		if n.Videos = countBetween(tx, plan, 0, newest, gallery.MostCountedWords+1); tx.OK() && n.Videos > 0 {
			found = append(found, n)
		}
		if len(found) == mostAlso {
			break
		}
	}
	return found
}
