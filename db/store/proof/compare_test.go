package proof_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store"
)

// A question is a read of the store, as a page makes it.
type question struct {
	what string
	ask  func(h *history) call
}

// asks returns a question that depends on nothing but the store.
func asks[T any](what string, ask func(*store.Store, context.Context) (T, error)) question {
	return question{what, func(*history) call {
		return func(ctx context.Context, s *store.Store) (any, error) { return ask(s, ctx) }
	}}
}

// of returns a question about what pick chooses.
func of[P, T any](what string, pick func(*history) P, ask func(context.Context, *store.Store, P) (T, error)) question {
	return question{what, func(h *history) call {
		about := pick(h)
		return func(ctx context.Context, s *store.Store) (any, error) { return ask(ctx, s, about) }
	}}
}

// A look holds arguments for a question: the viewer, a task, a small ID and the
// time.
type look struct {
	viewer db.User
	task   db.Task
	small  int64
	now    time.Time
}

func looks(h *history) look {
	id := h.id()
	t, _ := h.do("task", func(ctx context.Context, s *store.Store) (any, error) { return s.Tasks.Task(ctx, id) }).(db.Task)
	return look{h.person(), t, h.small(), h.now}
}

// questions are all reads that list, count and sum, except those of the gallery.
var questions = append([]question{
	asks("users", func(s *store.Store, ctx context.Context) ([]db.User, error) { return s.Accounts.Users(ctx) }),
	asks("invites", func(s *store.Store, ctx context.Context) ([]signin.Invite, error) { return s.Invites.All(ctx) }),
	asks("time zone", func(s *store.Store, ctx context.Context) (string, error) {
		zone, err := s.Settings.TimeZone(ctx)
		return zone.String(), err
	}),
	asks("rebuilding", func(s *store.Store, ctx context.Context) (bool, error) { return s.Settings.Rebuilding(ctx) }),
	asks("queued", func(s *store.Store, ctx context.Context) (bool, error) { return s.Tasks.HasQueued(ctx) }),
	asks("kept bytes", func(s *store.Store, ctx context.Context) (int64, error) { return s.Files.KeptBytes(ctx) }),
	asks("without room", func(s *store.Store, ctx context.Context) (int, error) { return s.Files.WaitingForSpace(ctx) }),
	asks("wrong usage", func(s *store.Store, ctx context.Context) (wrong []string, err error) { return s.Usage.WrongUsage(ctx) }),
	asks("made", func(s *store.Store, ctx context.Context) (made []db.Task, err error) {
		err = s.Tasks.EachMade(ctx, func(t db.Task) error { made = append(made, t); return nil })
		return made, err
	}),
	asks("all pictures", func(s *store.Store, ctx context.Context) (all []ordering.Picture, err error) {
		err = s.Pictures.EachPicture(ctx, func(p ordering.Picture) error { all = append(all, p); return nil })
		return all, err
	}),
	asks("due", func(s *store.Store, ctx context.Context) (time.Time, error) {
		return s.Leases.NextDue(ctx, schedule.Capacity{Send: 9, Query: 9, Keep: 9})
	}),
	of("cuts", (*history).ids, func(ctx context.Context, s *store.Store, ids []int64) (map[int64]gallery.Cut, error) {
		return s.Lineage.Cuts(ctx, ids)
	}),
	of("tasks of", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Task, error) {
		return s.Search.TasksOf(ctx, l.viewer.ID, []int64{l.task.ID, 1, 2, 99})
	}),
	of("lineage", looks, func(ctx context.Context, s *store.Store, l look) (gallery.Lineage, error) {
		found, err := s.Lineage.Of(ctx, l.viewer.ID, l.task)
		if found.Parent != nil { // as a value, so that DeepEqual compares it
			found.Children = append(found.Children, *found.Parent)
			found.Parent = nil
		}
		return found, err
	}),
	of("alone", looks, func(ctx context.Context, s *store.Store, l look) (bool, error) { return s.Lineage.Alone(ctx, l.task) }),
	of("chain", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Task, error) {
		return s.Lineage.Chain(ctx, l.viewer.ID, l.task.ID)
	}),
	of("answers", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Answer, error) {
		return s.Tasks.Answers(ctx, l.task.ID)
	}),
	of("task key", looks, func(ctx context.Context, s *store.Store, l look) (secrets.Key, error) {
		return s.Calls.TaskKey(ctx, l.task.ID)
	}),
	of("usual", looks, func(ctx context.Context, s *store.Store, l look) (schedule.Usual, error) {
		return s.Tasks.Usual(ctx, l.task)
	}),
	of("took", looks, func(ctx context.Context, s *store.Store, l look) ([2][]time.Duration, error) {
		done, running, err := s.Tasks.Took(ctx, l.task, l.now)
		return [2][]time.Duration{done, running}, err
	}),
	of("estimate", looks, func(ctx context.Context, s *store.Store, l look) (ordering.Estimate, error) {
		return s.Tasks.Estimate(ctx, l.task)
	}),
	of("latest", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Task, error) {
		return s.Tasks.LatestTasks(ctx, l.viewer.ID, int(l.small))
	}),
	of("last thumbnail", looks, func(ctx context.Context, s *store.Store, l look) (int64, error) {
		return s.Tasks.LastThumb(ctx, l.viewer.ID)
	}),
	of("running", looks, func(ctx context.Context, s *store.Store, l look) (int, error) {
		return s.Tasks.Running(ctx, l.viewer.ID)
	}),
	of("queue", looks, func(ctx context.Context, s *store.Store, l look) (schedule.Queue, error) {
		q, err := s.Leases.Queue(ctx, l.viewer.ID, l.task.ID)
		q.Pace = schedule.KeyPace{} // it depends on the time of the call
		return q, err
	}),
	of("key", looks, func(ctx context.Context, s *store.Store, l look) (secrets.Key, error) {
		return s.Keys.Key(ctx, l.viewer.ID)
	}),
	of("sessions", looks, func(ctx context.Context, s *store.Store, l look) ([]signin.Session, error) {
		return s.Sessions.Of(ctx, l.viewer.ID, l.now)
	}),
	of("bin", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Task, error) {
		return s.Bin.Tasks(ctx, l.viewer, 0, 5)
	}),
	of("binned", looks, func(ctx context.Context, s *store.Store, l look) (int, error) {
		return s.Bin.BinnedBy(ctx, l.viewer.ID, l.now)
	}),
	of("leftovers", looks, func(ctx context.Context, s *store.Store, l look) ([]string, error) {
		return s.Files.Leftovers(ctx, l.now)
	}),
	of("clock", looks, func(ctx context.Context, s *store.Store, l look) (time.Time, error) { return s.Clock.Due(ctx, l.now) }),
	of("tags", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Tag, error) {
		return s.Tags.VisibleTo(ctx, l.viewer.ID)
	}),
	of("models", looks, func(ctx context.Context, s *store.Store, l look) ([]string, error) {
		return s.Search.Choices(ctx, l.viewer.ID, gallery.ByModel)
	}),
	of("shapes", looks, func(ctx context.Context, s *store.Store, l look) ([]string, error) {
		return s.Search.Choices(ctx, l.viewer.ID, gallery.ByRatio)
	}),
	of("collections", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Collection, error) {
		return s.Collections.Page(ctx, l.viewer.ID, 0, 3)
	}),
	of("more collections", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Collection, error) {
		return s.Collections.Page(ctx, l.viewer.ID, l.small, 3)
	}),
	of("collection", looks, func(ctx context.Context, s *store.Store, l look) (gallery.Collection, error) {
		return s.Collections.Collection(ctx, l.viewer.ID, l.small)
	}),
	of("videos of a collection", looks, func(ctx context.Context, s *store.Store, l look) (gallery.Collected, error) {
		return s.Collections.Collected(ctx, l.viewer.ID, l.small)
	}),
	of("collections of a video", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Collection, error) {
		return s.Collections.CollectionsOf(ctx, l.task.ID)
	}),
	of("names of collections", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Collection, error) {
		return s.Collections.CollectionNames(ctx, int(l.small))
	}),
	of("named collection", func(h *history) string { return one(h, collections...) }, func(ctx context.Context, s *store.Store, name string) (gallery.Collection, error) {
		return s.Collections.NamedCollection(ctx, name)
	}),
	of("deleted collections", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Collection, error) {
		return s.Collections.BinnedCollections(ctx, l.viewer.ID)
	}),
	of("shares", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Share, error) {
		return s.Links.Shares(ctx, l.viewer.ID, l.now, 5)
	}),
	of("shares of a video", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Share, error) {
		return s.Links.SharesOf(ctx, l.task.ID, 0, l.now)
	}),
	of("shares of a collection", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Share, error) {
		return s.Links.SharesOf(ctx, 0, l.small, l.now)
	}),
	of("open share", func(h *history) string { return one(h, append([]string{"none"}, h.shares...)...) }, func(ctx context.Context, s *store.Store, token string) ([]db.Task, error) {
		_, shown, err := s.Links.OpenShare(ctx, token, gallery.Opening{}, time.Date(2022, 11, 4, 0, 0, 0, 0, time.UTC))
		return shown.Tasks, err
	}),
	of("recipes", looks, func(ctx context.Context, s *store.Store, l look) ([]ordering.Recipe, error) {
		return s.Recipes.Latest(ctx, l.viewer.ID, 5)
	}),
	of("recipe", looks, func(ctx context.Context, s *store.Store, l look) (ordering.Recipe, error) {
		return s.Recipes.Recipe(ctx, l.small)
	}),
	of("batches", looks, func(ctx context.Context, s *store.Store, l look) (map[string]gallery.Group, error) {
		return s.Lineage.Batches(ctx, l.viewer.ID, []string{"batch 1", "batch 2", "batch 3"})
	}),
	of("own batches", looks, func(ctx context.Context, s *store.Store, l look) ([]gallery.Batch, error) {
		return s.Lineage.OwnBatches(ctx, l.viewer.ID, 5)
	}),
	of("batch", looks, func(ctx context.Context, s *store.Store, l look) ([]db.Task, error) {
		return s.Lineage.BatchTasks(ctx, "batch 1", 5)
	}),
	of("usage", looks, func(ctx context.Context, s *store.Store, l look) ([]spending.Sum, error) {
		return s.Usage.Spending(ctx, spending.Filter{People: []int64{l.viewer.ID, l.small / 3}, First: db.DayOf(l.now.AddDate(0, 0, -int(l.small)), time.UTC)}, spending.ByPerson)
	}),
	of("pictures", looks, func(ctx context.Context, s *store.Store, l look) ([]ordering.Picture, error) {
		return s.Pictures.Latest(ctx, l.viewer.ID, 5)
	}),
	of("uploads", looks, func(ctx context.Context, s *store.Store, l look) ([]ordering.Upload, error) {
		return s.Pictures.Uploads(ctx, 0, 5, 0)
	}),
	of("space of pictures", looks, func(ctx context.Context, s *store.Store, l look) ([2]int64, error) {
		n, bytes, err := s.Pictures.PictureUse(ctx, l.viewer.ID)
		return [2]int64{int64(n), bytes}, err
	}),
	of("used pictures", looks, func(ctx context.Context, s *store.Store, l look) ([]ordering.UsedPicture, error) {
		return s.Pictures.UsedPictures(ctx, l.viewer.ID, 10)
	}),
	of("deliveries", looks, func(ctx context.Context, s *store.Store, l look) ([]outbox.Delivery, error) {
		list, err := s.Webhooks.Deliveries(ctx, 1+l.small%4, 5)
		for i := range list {
			list[i].Name = "" // it is random
		}
		return list, err
	}),
	of("webhooks", looks, func(ctx context.Context, s *store.Store, l look) ([]outbox.Webhook, error) {
		return s.Webhooks.Of(ctx, l.viewer.ID*(l.small%2))
	}),
}, teamQuestions...)

func (h *history) ids() []int64 { return some(h, 3, h.id) }

func (h *history) ask(n int) {
	h.tb.Helper()
	h.do(questions[n].what, questions[n].ask(h))
}

// filter returns a filter of the gallery, as its menus would make it.
func (h *history) filter() gallery.Filter {
	f := gallery.Filter{Viewer: h.person().ID, Limit: 1 + h.n(8)}
	for range h.n(4) {
		switch h.n(11) {
		case 0, 1, 2:
			f.Query = h.query()
		case 3:
			f.Makers = some(h, 2, func() int64 { return h.person().ID })
		case 4:
			f.Scenes = some(h, 2, func() string { return one(h, scenes...) })
		case 5:
			f.Models = some(h, 2, func() string { return one(h, models...) })
		case 6:
			f.Ratios = some(h, 2, func() string { return one(h, ratios[:2]...) })
		case 7:
			f.States = some(h, 2, func() db.State { return one(h, append(db.States(), gallery.AnyState, gallery.AnyState)...) })
		case 8:
			f.Tags = some(h, 2, func() string { return one(h, tagNames...) })
		case 9:
			f.Collections = some(h, 2, h.small)
		default:
			f.Starred = h.flag()
			f.From, f.Until = h.now.Add(-time.Duration(h.n(50))*time.Hour), h.now.Add(-time.Duration(h.n(5))*time.Hour)
		}
	}
	switch h.n(4) {
	case 0:
		f.Before = h.id()
	case 1:
		f.Through = h.id()
	}
	return f
}

// browse compares a page of the gallery, with all counts of its menus.
func (h *history) browse() {
	h.tb.Helper()
	f := h.filter()
	what := fmt.Sprintf("gallery %+v", f)
	page, _ := h.do(what, func(ctx context.Context, s *store.Store) (any, error) {
		tasks, total, err := s.Search.CountedTasks(ctx, f)
		return []any{tasks, total}, err
	}).([]any)
	tasks, _ := page[0].([]db.Task)
	id := h.id()
	h.do("list of "+what, func(ctx context.Context, s *store.Store) (any, error) { return s.Search.Listing(ctx, f, 3, time.UTC) })
	h.do("place of "+what, func(ctx context.Context, s *store.Store) (any, error) { return s.Search.PlaceOf(ctx, f, id) })
	h.do("days of "+what, func(ctx context.Context, s *store.Store) (any, error) {
		return s.Search.CountSpans(ctx, f, append(f.DaysOf(tasks, time.UTC), gallery.Span{From: h.now.Add(-time.Hour)}))
	})
	for _, menu := range []gallery.Facet{gallery.ByMaker, gallery.ByScene, gallery.ByModel, gallery.ByRatio, gallery.ByState, gallery.ByTag} {
		h.do(fmt.Sprintf("menu %s of %s", menu, what), func(ctx context.Context, s *store.Store) (any, error) { return s.Search.CountFacet(ctx, f, menu) })
	}
}

// compare makes some of the reads. If whole, it makes all of them, searches for
// every piece of text, and compares the tables row by row.
func (h *history) compare(whole bool) {
	h.tb.Helper()
	for range 6 {
		h.ask(h.n(len(questions)))
	}
	h.browse()
	if !whole {
		return
	}
	for n := range questions {
		for range 3 {
			h.bytes = append(h.bytes, byte(7*n), byte(11*n+1), byte(3*n), byte(n), 5, 4)
			h.ask(n)
		}
	}
	for _, text := range pieces {
		letters := []rune(text)
		for _, query := range []string{text, string(letters[len(letters)/2:])} {
			f := gallery.Filter{Viewer: h.people[0].ID, Query: query, States: []db.State{gallery.AnyState}, Limit: 100}
			h.do(fmt.Sprintf("search for %q", query), func(ctx context.Context, s *store.Store) (any, error) {
				_, total, err := s.Search.CountedTasks(ctx, f)
				return total, err
			})
		}
	}
	h.compareTables()
}

// differing lists the columns whose values differ between any two databases. The bytes
// of files and the videos of a kind or a day are in one row on SQLite and in several on Postgres;
// their sums are compared by questions.
var differing = []string{
	"deliveries.name", "mails.name", "mails.created_at", "mails.until", "mails.next_at", "audit.at", "asks.used_at", "asks.ended_at",
	"kept_bytes.part", "kept_bytes.bytes", "kind_counts.part", "kind_counts.videos",
	"day_counts.day", "day_counts.part", "day_counts.videos", "versions.stamp",
}

// compareTables compares all stored values, except those that each engine stores in
// its own form, random names, and times of each engine's clock.
func (h *history) compareTables() {
	h.tb.Helper()
	var columns [2]map[string][]string
	for engine, list := range []string{
		`SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.sql LIKE '%STRICT%'`,
		`SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`,
	} {
		columns[engine] = map[string][]string{}
		h.rows(engine, list, func(scan func(...any) error) {
			var table, column string
			must(h.tb, scan(&table, &column))
			if column != "words" && column != "rowid" && !slices.Contains(differing, table+"."+column) {
				columns[engine][table] = append(columns[engine][table], column)
			}
		})
	}
	compared := 0
	for table, names := range columns[0] {
		both := slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(columns[1][table], name) })
		if len(both) == 0 {
			continue
		}
		slices.Sort(both)
		var content [2][]string
		for engine := range content {
			h.rows(engine, `SELECT `+strings.Join(both, ", ")+` FROM `+table, func(scan func(...any) error) {
				values := make([]any, len(both))
				places := make([]any, len(both))
				for i := range values {
					places[i] = &values[i]
				}
				must(h.tb, scan(places...))
				content[engine] = append(content[engine], fmt.Sprintf("%q", fmt.Sprint(values)))
			})
			slices.Sort(content[engine])
		}
		for engine, rows := range content {
			for _, row := range rows {
				if !slices.Contains(content[1-engine], row) {
					h.tb.Errorf("table %s (%s): %s alone has %s", table, strings.Join(both, ", "), []string{"SQLite", "Postgres"}[engine], row)
				}
			}
		}
		if len(content[0]) != len(content[1]) {
			h.tb.Errorf("table %s has %d rows and %d", table, len(content[0]), len(content[1]))
		}
		compared++
	}
	if compared < 20 {
		h.tb.Fatalf("only %d tables are compared", compared)
	}
}
