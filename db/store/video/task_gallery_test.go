package video_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
	"dailies/web/costtest"
	"dailies/web/scopetest"
)

// A reference computes in plain Go what each filter of a gallery must return.
type reference struct {
	*suite.Gallery
	tasks     []db.Task // as stored now, newest first
	collected map[int64]map[int64]bool
}

func newReference(t *testing.T, seed uint64) *reference {
	t.Helper()
	f := &reference{Gallery: suite.NewGallery(t, seed)}
	f.load(t)
	return f
}

func (f *reference) load(t *testing.T) {
	t.Helper()
	f.tasks, f.collected = nil, map[int64]map[int64]bool{}
	for _, id := range slices.Backward(f.IDs) {
		task, err := f.Tasks.Task(t.Context(), id)
		must(t, err)
		f.tasks = append(f.tasks, task)
	}
	for id := f.Running; id > 0; id-- { // the tasks of newTeam
		task, err := f.Tasks.Task(t.Context(), id)
		must(t, err)
		f.tasks = append(f.tasks, task)
	}
	for _, id := range f.CollectionIDs {
		f.collected[id] = map[int64]bool{}
		for _, u := range []db.User{f.Ann, f.Bo} {
			list, err := f.Collections.Collected(t.Context(), u.ID, id)
			must(t, err)
			for _, task := range list.IDs {
				f.collected[id][task] = true
			}
		}
	}
}

// fits reports whether the filter must select the task.
func (f *reference) fits(by gallery.Filter, t db.Task) bool {
	inState := slices.Contains(by.States, t.State) || slices.Contains(by.States, gallery.AnyState) ||
		len(by.States) == 0 && t.State == db.Success
	tagged := func(tag string) bool {
		return slices.ContainsFunc(by.Tags, func(wanted string) bool { return gallery.TagKey(tag) == gallery.TagKey(wanted) })
	}
	seen := t.DeletedAt.IsZero() && (t.UserID == by.Viewer || t.State == db.Success && !t.Private)
	return seen && strings.Contains(strings.ToLower(t.Prompt), by.Query) &&
		among(by.Makers, t.UserID) && among(by.Scenes, t.Scene) && among(by.Models, t.Model) && among(by.Ratios, t.Options.AspectRatio) &&
		inState && (!by.Starred || t.Starred) && (len(by.Tags) == 0 || slices.ContainsFunc(t.Tags, tagged)) &&
		(len(by.Collections) == 0 || slices.ContainsFunc(by.Collections, func(id int64) bool { return f.collected[id][t.ID] })) &&
		(len(by.Cast) == 0 || slices.ContainsFunc(by.Cast, func(id int64) bool { return slices.Contains(f.Shown[t.ID], id) })) &&
		(by.From.IsZero() || !t.CreatedAt.Before(by.From)) && (by.Until.IsZero() || t.CreatedAt.Before(by.Until)) &&
		(by.Before == 0 || t.ID < by.Before) && t.ID >= by.Through
}

// among reports whether the value is among those wanted, or wanted is empty.
func among[T comparable](wanted []T, value T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}

func (f *reference) list(by gallery.Filter) (ids []int64) {
	for _, t := range f.tasks {
		if f.fits(by, t) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// count counts, for each value of the facet, the tasks that match the filter
// without its own choice for that facet.
func (f *reference) count(by gallery.Filter, facet gallery.Facet) map[string]int {
	counts := map[string]int{}
	switch facet {
	case gallery.ByMaker:
		by.Makers = nil
	case gallery.ByScene:
		by.Scenes = nil
	case gallery.ByModel:
		by.Models = nil
	case gallery.ByRatio:
		by.Ratios = nil
	case gallery.ByState:
		by.States = []db.State{gallery.AnyState}
	case gallery.ByTag:
		by.Tags = nil
	case gallery.ByCast:
		by.Cast = nil
	case gallery.ByStarred:
		by.Starred = true
	}
	for _, t := range f.tasks {
		if !f.fits(by, t) {
			continue
		}
		choices := map[gallery.Facet][]string{
			gallery.ByMaker: {strconv.FormatInt(t.UserID, 10)}, gallery.ByScene: {t.Scene}, gallery.ByModel: {t.Model},
			gallery.ByRatio: {t.Options.AspectRatio},
			gallery.ByState: {string(t.State)}, gallery.ByTag: t.Tags, gallery.ByStarred: {"1"},
		}
		for _, id := range f.Shown[t.ID] {
			choices[gallery.ByCast] = append(choices[gallery.ByCast], strconv.FormatInt(id, 10))
		}
		for _, choice := range choices[facet] {
			if choice != "" {
				counts[gallery.TagKey(choice)]++
			}
		}
	}
	return counts
}

// TestEveryMixIsListedAndCounted compares lists, their order, pages, totals and
// facets with the reference, while the tasks change.
func TestEveryMixIsListedAndCounted(t *testing.T) {
	mixes := 150
	switch {
	case scopetest.Long():
		mixes = 400
	case suite.IsBrief():
		mixes = 40
	}
	f := newReference(t, 3)
	spans := []gallery.Span{
		{From: suite.Day.Add(50 * time.Hour)}, {From: suite.Day.Add(10 * time.Hour), Until: suite.Day.Add(65 * time.Hour)},
		{Until: suite.Day}, {},
	}
	for i := range mixes {
		if i%10 == 9 {
			f.Change(t)
			f.load(t)
		}
		by := f.SomeFilter()
		f.checkList(t, by)
		for _, facet := range []gallery.Facet{
			gallery.ByMaker, gallery.ByScene, gallery.ByModel, gallery.ByRatio, gallery.ByState, gallery.ByTag, gallery.ByCast,
			gallery.ByStarred,
		} {
			got, err := f.Search.CountFacet(t.Context(), by, facet)
			must(t, err)
			if want := f.count(by, facet); !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v\n%s: got %v, want %v", by, facet, got, want)
			}
		}
		f.checkSpans(t, by, spans)
		from := suite.Day.Add(time.Duration(f.Random.IntN(120*60)) * time.Minute)
		until := from.Add(time.Duration(f.Random.IntN(72*60)) * time.Minute)
		f.checkSpans(t, gallery.Filter{Viewer: f.Bo.ID}, append(spans, gallery.Span{From: from, Until: until}))
		f.checkSpans(t, gallery.Filter{Viewer: f.Ann.ID}, []gallery.Span{{From: from, Until: until}, {From: from}})
	}
	wrong, err := f.Usage.WrongUsage(t.Context())
	must(t, err)
	suite.Same(t, wrong, nil)
}

// checkSpans compares the counts of the spans of time with the reference.
func (f *reference) checkSpans(t *testing.T, by gallery.Filter, spans []gallery.Span) {
	t.Helper()
	got, err := f.Search.CountSpans(t.Context(), by, spans)
	must(t, err)
	for i, span := range spans {
		by.From, by.Until = span.From, span.Until
		if want := len(f.list(by)); got[i] != want {
			t.Fatalf("%+v\nin %v: got %d, want %d", by, span, got[i], want)
		}
	}
}

// checkList reads the list as a whole, in pages, and down to one of the tasks.
func (f *reference) checkList(t *testing.T, by gallery.Filter) {
	t.Helper()
	want := f.list(by)
	by.Limit = 200
	whole, total, err := f.Search.CountedTasks(t.Context(), by)
	must(t, err)
	if !slices.Equal(suite.IDs(whole), want) || total != len(want) {
		t.Fatalf("%+v\ngot  %v, %d in all\nwant %v", by, suite.IDs(whole), total, want)
	}
	by.Limit = 1 + f.Random.IntN(9)
	var pages []int64
	for {
		page, total, err := f.Search.CountedTasks(t.Context(), by)
		must(t, err)
		if total != len(want) {
			t.Fatalf("%+v\n%d in all, want %d", by, total, len(want))
		}
		pages = append(pages, suite.IDs(page)...)
		if len(page) < by.Limit {
			break
		}
		by.Before = page[len(page)-1].ID
	}
	f.checkDays(t, by, whole)
	if !slices.Equal(pages, want) {
		t.Fatalf("%+v\nin pages %v\nwant     %v", by, pages, want)
	}
	f.checkPlace(t, by, want)
	by.Before, by.Through = 0, f.IDs[f.Random.IntN(len(f.IDs))]
	down, err := f.Search.Tasks(t.Context(), by)
	must(t, err)
	if want := f.list(by); !slices.Equal(suite.IDs(down), want) {
		t.Fatalf("%+v\ndown to %d %v\nwant %v", by, by.Through, suite.IDs(down), want)
	}
}

// checkDays checks the counts of the days on which some tasks of the list were
// created, alone and with the first page.
func (f *reference) checkDays(t *testing.T, by gallery.Filter, list []db.Task) {
	t.Helper()
	zone := time.FixedZone("far", 3*60*60)
	from := f.Random.IntN(len(list) + 1)
	page := list[from:min(len(list), from+5)]
	days := by.DaysOf(page, zone)
	counts, err := f.Search.CountSpans(t.Context(), by, days)
	must(t, err)
	sameDays(t, by, list, page, days, counts, zone)

	by.Before = 0
	shown := f.Random.IntN(by.Limit + 1)
	l, err := f.Search.Listing(t.Context(), by, shown, zone)
	must(t, err)
	if want := list[:min(by.Limit, len(list))]; !slices.Equal(suite.IDs(l.Tasks), suite.IDs(want)) || l.Total != len(list) {
		t.Fatalf("%+v\ngot  %v, %d in all\nwant %v, %d", by, suite.IDs(l.Tasks), l.Total, suite.IDs(want), len(list))
	}
	sameDays(t, by, list, list[:min(shown, len(list))], l.Days, l.Many, zone)
}

// sameDays compares, for each task of the page, the count of its day with how many tasks
// of the list were created on that day.
func sameDays(t *testing.T, by gallery.Filter, list, page []db.Task, days []gallery.Span, counts []int, zone *time.Location) {
	t.Helper()
	var got, want []int
	for i, task := range page {
		all := 0
		for _, other := range list {
			if other.CreatedAt.In(zone).Format(time.DateOnly) == task.CreatedAt.In(zone).Format(time.DateOnly) {
				all++
			}
		}
		want = append(want, all)
		got = append(got, 0)
		for j, day := range days {
			if !task.CreatedAt.Before(day.From) && task.CreatedAt.Before(day.Until) {
				got[i] += counts[j]
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%+v\ndays %v: got %v, want %v", by, days, got, want)
	}
}

// checkPlace checks the place of a random task in the list.
func (f *reference) checkPlace(t *testing.T, by gallery.Filter, list []int64) {
	t.Helper()
	id := f.IDs[f.Random.IntN(len(f.IDs))]
	place, err := f.Search.PlaceOf(t.Context(), by, id)
	must(t, err)
	want := gallery.Place{Position: slices.Index(list, id) + 1, Total: len(list)}
	for _, other := range list {
		switch {
		case other > id:
			want.Previous = other
		case other < id && want.Next == 0:
			want.Next = other
		}
	}
	if place != want {
		t.Fatalf("%+v\nplace of %d %+v, want %+v of %v", by, id, place, want, list)
	}
}

// A query that uses another source, because the usual one is too wide, returns the
// same.
func TestWideAndNarrowSourcesGiveTheSame(t *testing.T) {
	h, many := newTeam(t), 1300
	if !suite.IsBrief() {
		many = 12_300
	}
	var tasks []db.Task
	for i := range many {
		task := suite.NewTask(h.Ann.ID, fmt.Sprint("a boat ", i, []string{" even", " odd"}[i%2]))
		if i == 5 {
			task.Prompt += " even"
		}
		task.CreatedAt = suite.Day.Add(time.Duration(i) * time.Minute)
		tasks = append(tasks, task)
	}
	tasks, err := h.AddTasks(t.Context(), tasks)
	must(t, err)
	var starred []int64
	for i := 0; i < many; i += many / 75 {
		starred = append(starred, tasks[i].ID)
	}
	_, err = h.Tasks.StarTasks(t.Context(), h.Ann, starred, true)
	must(t, err)
	slices.Reverse(starred)
	for _, f := range []gallery.Filter{
		{Starred: true, Query: "boat"}, {Starred: true, Makers: []int64{h.Ann.ID}}, {Starred: true, From: suite.Day},
		{Starred: true, Query: "boat", From: suite.Day, Scenes: []string{"text-to-video"}},
	} {
		f.Viewer, f.States, f.Limit = h.Ann.ID, []db.State{gallery.AnyState}, 200
		tasks, total, err := h.Search.CountedTasks(t.Context(), f)
		must(t, err)
		if !slices.Equal(suite.IDs(tasks), starred) || total != len(starred) {
			t.Errorf("%+v: %v, want %v", f, suite.IDs(tasks), starred)
		}
	}
	older, err := h.Search.Tasks(t.Context(), gallery.Filter{
		Viewer: h.Ann.ID, States: []db.State{gallery.AnyState}, Before: tasks[0].ID, Limit: 100,
	})
	must(t, err)
	slices.Reverse(older)
	checkWordsOfMany(t, h.Store, h.Ann.ID, append(older, tasks...))
	for _, from := range []int{1, many / 2, many - 500} {
		last := gallery.Filter{Viewer: h.Ann.ID, States: []db.State{gallery.AnyState}, From: tasks[from].CreatedAt, Limit: 7}
		page, total, err := h.Search.CountedTasks(t.Context(), last)
		must(t, err)
		if want := min(many-from, gallery.MostCounted+1); total != want || page[6].ID != tasks[many-7].ID {
			t.Errorf("%d since then, want %d; %v", total, want, suite.IDs(page))
		}
	}
}

// checkWordsOfMany searches for words that all the tasks have, or many, or few, at
// either end or in between, and compares pages, totals and places.
func checkWordsOfMany(t *testing.T, s *store.Store, viewer int64, tasks []db.Task) {
	t.Helper()
	last := strings.Fields(tasks[len(tasks)-1].Prompt)[2]
	for _, query := range []string{
		"boat", "boat 1", "boat 7", "boat " + last, "a boat 12", last[:3], "33", "boat nothing", "0 b", "a 1000", "a 17 b",
		"even odd",
	} {
		var want []int64
		for _, task := range slices.Backward(tasks) {
			if foundBy(query, task.Prompt) {
				want = append(want, task.ID)
			}
		}
		f := gallery.Filter{Viewer: viewer, States: []db.State{gallery.AnyState}, Query: query, Limit: 20}
		checkPages(t, s, f, want)
		f.From = time.UnixMilli(1) // all tasks are later, but this uses another source
		checkPages(t, s, f, want)
	}
}

// checkPages compares the filter's first page, its total, some places, and the
// pages that follow these.
func checkPages(t *testing.T, s *store.Store, f gallery.Filter, want []int64) {
	t.Helper()
	page, total, err := s.Search.CountedTasks(t.Context(), f)
	must(t, err)
	if !slices.Equal(suite.IDs(page), want[:min(f.Limit, len(want))]) || total != min(len(want), f.MostCounted()+1) {
		t.Errorf("%q: %v, %d in all, want %d", f.Query, suite.IDs(page), total, len(want))
	}
	around := slices.Concat([]int64{0}, want, []int64{0})
	for _, at := range []int{0, len(want) / 3, len(want) - 1} {
		if len(want) == 0 {
			continue
		}
		place, err := s.Search.PlaceOf(t.Context(), f, want[at])
		must(t, err)
		if same := (gallery.Place{
			Previous: around[at], Next: around[at+2], Position: min(at, f.MostCounted()) + 1, Total: total,
		}); place != same {
			t.Errorf("%q: place %+v, want %+v", f.Query, place, same)
		}
		behind := f
		behind.Before = want[at]
		older, err := s.Search.Tasks(t.Context(), behind)
		must(t, err)
		if !slices.Equal(suite.IDs(older), want[at+1:min(at+1+f.Limit, len(want))]) {
			t.Errorf("%q, behind %d: %v", f.Query, behind.Before, suite.IDs(older))
		}
	}
}

// foundBy reports whether each word of the query is a prefix of a word of the
// prompt.
func foundBy(query, prompt string) bool {
	for _, begun := range strings.Fields(query) {
		if !slices.ContainsFunc(strings.Fields(prompt), func(word string) bool { return strings.HasPrefix(word, begun) }) {
			return false
		}
	}
	return true
}

// copyTask inserts copies of the task directly into the database file, because
// through the store it would take seconds to add as many as a list counts.
func copyTask(t *testing.T, path string, id int64, times int) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`
		WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < $2)
		INSERT INTO tasks (user_id, form_token, scene, model, prompt, provider, pictures, options, state, created_at, next_at, words, day, batch, bulk, service_id)
		SELECT user_id, hex(randomblob(16)), scene, model, prompt, provider, pictures, options, state, created_at, next_at, '', day, batch, bulk, service_id
		FROM copy, tasks WHERE id = $1`, id, times)
	must(t, err)
}

func TestAPlaceIsCountedUpToABound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann := suite.AddUser(t, s, "Ann").ID
	first, most := suite.AddTask(t, s, ann, "a boat").ID, int64(gallery.MostCounted)
	mine := gallery.Filter{Viewer: ann, States: []db.State{gallery.AnyState}}
	place := func(id int64, want gallery.Place) {
		t.Helper()
		got, err := s.Search.PlaceOf(t.Context(), mine, id)
		must(t, err)
		if got != want {
			t.Errorf("place of %d: %+v, want %+v", id, got, want)
		}
	}
	copyTask(t, path, first, gallery.MostCounted-1)
	place(first, gallery.Place{Previous: 2, Position: gallery.MostCounted, Total: gallery.MostCounted})
	copyTask(t, path, first, 3)
	more := gallery.MostCounted + 1
	place(most+3, gallery.Place{Next: most + 2, Position: 1, Total: more})
	place(4, gallery.Place{Previous: 5, Next: 3, Position: gallery.MostCounted, Total: more})
	place(3, gallery.Place{Previous: 4, Next: 2, Position: more, Total: more})
	place(first, gallery.Place{Previous: 2, Position: more, Total: more})
	place(most+9, gallery.Place{Previous: 0, Next: most + 3, Total: more})
}

// filled returns a database as a big team would have filled it.
func filled(b *testing.B, finished, running int) (*store.Store, []db.User) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "dailies.db")
	s := suite.OpenAt(b, path)
	return s, sampletest.Fill(b, s, path, finished, running)
}

// BenchmarkGallery measures pages of 24 among 100,000 tasks with their total, and
// the counts of the filters' menus, with every single filter and with combinations.
// The environment variable DAILIES_BENCH_TASKS sets another number of tasks.
func BenchmarkGallery(b *testing.B) {
	n := sampletest.Tasks(b)
	c, users := filled(b, n, 0)
	busy, fresh := users[0].ID, users[len(users)-1].ID
	now := sampletest.End()
	spans := []gallery.Span{
		{From: now.AddDate(0, 0, -1)}, {From: now.AddDate(0, 0, -7)}, {From: now.AddDate(0, -1, 0)},
		{From: now.AddDate(-1, 0, 0)},
	}
	for _, page := range []struct {
		name   string
		filter gallery.Filter
	}{
		{"first page", gallery.Filter{}},
		{"page by key", gallery.Filter{Before: int64(n / 2)}},
		{"last page", gallery.Filter{Before: 30}},
		{"through 1000", gallery.Filter{Through: int64(n - 1200)}},
		{"scene", gallery.Filter{Scenes: []string{"frames-to-video"}}},
		{"model", gallery.Filter{Models: []string{"veo3"}}},
		{"rare model", gallery.Filter{Models: []string{sampletest.RareModel}}},
		{"ratio", gallery.Filter{Ratios: []string{"4:3"}}},
		{"person", gallery.Filter{Makers: []int64{users[5].ID}}},
		{"mine", gallery.Filter{Makers: []int64{busy}}},
		{"mine, few", gallery.Filter{Makers: []int64{fresh}, Viewer: fresh}},
		{"mine, all states", gallery.Filter{Makers: []int64{busy}, States: []db.State{gallery.AnyState}}},
		{"all states", gallery.Filter{States: []db.State{gallery.AnyState}}},
		{"failed", gallery.Filter{States: []db.State{db.Failed}}},
		{"rejected", gallery.Filter{States: []db.State{db.Rejected}}},
		{"canceled", gallery.Filter{States: []db.State{db.Canceled}}},
		{"processing", gallery.Filter{States: []db.State{db.Processing}}},
		{"starred", gallery.Filter{Starred: true}},
		{"frequent tag", gallery.Filter{Tags: []string{sampletest.OftenTag}}},
		{"rare tag", gallery.Filter{Tags: []string{sampletest.RareTag}}},
		{"collection", gallery.Filter{Collections: []int64{7}}},
		{"day", gallery.Filter{From: spans[0].From}},
		{"week", gallery.Filter{From: spans[1].From}},
		{"month", gallery.Filter{From: spans[2].From}},
		{"year", gallery.Filter{From: spans[3].From}},
		{"days long ago", gallery.Filter{From: sampletest.Start().AddDate(0, 3, 0), Until: sampletest.Start().AddDate(0, 3, 2)}},
		{"nothing there", gallery.Filter{
			Models: []string{sampletest.RareModel}, Makers: []int64{fresh}, Viewer: fresh, Scenes: []string{"frames-to-video"},
		}},
		{"three models", gallery.Filter{Models: []string{"veo3", "veo3_fast", sampletest.RareModel}}},
		{"three people", gallery.Filter{Makers: []int64{busy, users[5].ID, users[6].ID}}},
		{"three tags", gallery.Filter{Tags: []string{sampletest.OftenTag, sampletest.RareTag, "tag 07"}}},
		{"three states", gallery.Filter{States: []db.State{db.Success, db.Failed, db.Canceled}}},
		{"three of everything", gallery.Filter{Models: []string{"veo3", "veo3_fast", "seedance-2.0"},
			Makers: []int64{busy, users[5].ID, users[6].ID},
			Tags:   []string{sampletest.OftenTag, sampletest.RareTag, "tag 07"},
			Scenes: []string{"text-to-video", "frames-to-video", "image-to-video"}, Query: "the"}},
		{"word in every prompt", gallery.Filter{Query: "a"}},
		{"one letter", gallery.Filter{Query: "b"}},
		{"beginning of many words", gallery.Filter{Query: "ba"}},
		{"frequent word", gallery.Filter{Query: "mountain"}},
		{"frequent words", gallery.Filter{Query: "mountain sunset camera"}},
		{"frequent words, page by key", gallery.Filter{Query: "mountain sunset", Before: int64(n / 5)}},
		{"rare word", gallery.Filter{Query: sampletest.RareWord}},
		{"no such word", gallery.Filter{Query: "qqqq mountain"}},
		{"Chinese", gallery.Filter{Query: "风筝"}},
		{"one Japanese letter", gallery.Filter{Query: "の"}},
		{"Thai", gallery.Filter{Query: "สี"}},
		{"Arabic", gallery.Filter{Query: "البحر"}},
		{"Cyrillic", gallery.Filter{Query: "закате"}},
		{"scene, model and ratio", gallery.Filter{Scenes: []string{"frames-to-video"}, Models: []string{"veo3"}, Ratios: []string{"9:16"}}},
		{"word, starred, month", gallery.Filter{Query: "the", Starred: true, From: spans[2].From}},
		{"word in every prompt, starred, old", gallery.Filter{Query: "a", Starred: true, Until: sampletest.Start().AddDate(0, 2, 0)}},
		{"word in every prompt, rare tag, year", gallery.Filter{Query: "a", Tags: []string{sampletest.RareTag}, From: spans[3].From}},
		{"word in every prompt and rare model, mine", gallery.Filter{
			Query: "a", Models: []string{sampletest.RareModel}, Makers: []int64{busy},
		}},
		{"word, all states, model, mine, few", gallery.Filter{
			Query: "the", Models: []string{"veo3"}, Makers: []int64{fresh}, Viewer: fresh, States: []db.State{gallery.AnyState},
		}},
		{"everything", gallery.Filter{Query: "a", Scenes: []string{"text-to-video"}, Models: []string{"seedance-2.0"},
			Ratios: []string{"16:9"}, Makers: []int64{busy}, States: []db.State{gallery.AnyState},
			Starred: true, Tags: []string{sampletest.OftenTag}, From: spans[3].From, Until: now}},
	} {
		page.filter.Limit = 24
		if page.filter.Viewer == 0 {
			page.filter.Viewer = busy
		}
		b.Run(page.name, func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, _, err := c.Search.CountedTasks(b.Context(), page.filter)
				must(b, err)
			})
		})
		list, err := c.Search.Tasks(b.Context(), page.filter)
		must(b, err)
		if len(list) == 0 {
			list = []db.Task{{ID: int64(n / 2), CreatedAt: now}}
		}
		b.Run(page.name+", place", func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Search.PlaceOf(b.Context(), page.filter, list[len(list)-1].ID)
				must(b, err)
			})
		})
		b.Run(page.name+", days", func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, page.filter.DaysOf(list, time.UTC))
				must(b, err)
			})
		})
		for _, menu := range []gallery.Facet{
			gallery.ByMaker, gallery.ByScene, gallery.ByModel, gallery.ByRatio, gallery.ByState, gallery.ByTag,
		} {
			b.Run(page.name+", menu "+string(menu), func(b *testing.B) {
				sampletest.Timed(b, func() {
					_, err := c.Search.CountFacet(b.Context(), page.filter, menu)
					must(b, err)
				})
			})
		}
		b.Run(page.name+", menu date", func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Search.CountSpans(b.Context(), page.filter, spans)
				must(b, err)
			})
		})
	}
	b.Run("tags", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tags.VisibleTo(b.Context(), busy)
			must(b, err)
		})
	})
	b.Run("star 24", func(b *testing.B) {
		ids := make([]int64, 24)
		for i := range ids {
			ids[i] = int64(n/2 + i)
		}
		on := false
		sampletest.Timed(b, func() {
			on = !on
			_, err := c.Tasks.StarTasks(b.Context(), users[0], ids, on)
			must(b, err)
		})
	})
	b.Run("latest", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tasks.LatestTasks(b.Context(), busy, 8)
			must(b, err)
		})
	})
	yes := true
	seedance := kind("text-to-video", "seedance-2.0", db.Options{Duration: 5, Resolution: "720p", Audio: &yes})
	b.Run("usual", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tasks.Usual(b.Context(), seedance)
			must(b, err)
		})
	})
	for name, duration := range map[string]int{"estimate": 5, "estimate from others": 99} {
		seedance.Options.Duration = duration
		b.Run(name, func(b *testing.B) {
			sampletest.Timed(b, func() {
				_, err := c.Tasks.Estimate(b.Context(), seedance)
				must(b, err)
			})
		})
	}
	b.Run("status", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Tasks.Task(b.Context(), int64(n/2))
			must(b, err)
		})
	})
}

// fullGallery returns a store with tasks of two people in every state, scene and model.
func fullGallery(tb testing.TB) (s *store.Store, ann, bo int64, tasks []db.Task) {
	tb.Helper()
	s = suite.Open(tb)
	ann, bo = suite.AddUser(tb, s, "Ann").ID, suite.AddUser(tb, s, "Bo").ID
	prompts := []string{"A red kite", "Ein Drachen über dem Meer", "the kitesurfer’s cafe\u0301", "红色的风筝", ""}
	for i, state := range slices.Repeat(db.States(), 8) {
		task := suite.NewTask([]int64{ann, bo}[i%2], prompts[i%len(prompts)])
		task.Scene = []string{"text-to-video", "image-to-video", "frames-to-video"}[i%3]
		task.Model = []string{"veo3", "veo3_fast", "bytedance/v1", `o"dd'%`}[i%4]
		suite.Queue(tb, s, &task)
		tasks = append(tasks, suite.Bring(tb, s, task.ID, state, suite.Day))
		must(tb, s.Calls.EndCall(tb.Context(), task.ID, suite.Day)) // the next task has the same key
	}
	return s, ann, bo, tasks
}

// chosen computes in plain Go whether the filter must select the task.
func chosen(f gallery.Filter, t db.Task) bool {
	return t.VisibleTo(f.Viewer) &&
		among(f.Makers, t.UserID) && among(f.Scenes, t.Scene) && among(f.Models, t.Model) &&
		(slices.Contains(f.States, gallery.AnyState) || slices.Contains(f.States, t.State) ||
			len(f.States) == 0 && t.State == db.Success) &&
		(f.Before == 0 || t.ID < f.Before)
}

func TestTasksNeverShowWhatBecomesPrivateMeanwhile(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	task := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a kite").ID, db.Success, suite.Day)
	ctx, stop := context.WithCancel(t.Context())
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for private := true; ctx.Err() == nil; private = !private {
			if _, err := s.Tasks.PrivateTasks(ctx, ann, []int64{task.ID}, private); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	defer flipping.Wait()
	defer stop()
	for range 150 {
		tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: bo.ID, Limit: 10})
		must(t, err)
		for _, seen := range tasks {
			if seen.Private {
				t.Fatal("Bo was given a row of Ann's that is private")
			}
		}
	}
}

func TestEveryMixOfFilters(t *testing.T) {
	s, ann, bo, tasks := fullGallery(t)
	slices.Reverse(tasks)
	states := [][]db.State{nil, {gallery.AnyState}, {db.Success}, {db.Failed}, {db.Pending}, {db.Unconfirmed}, {`no "such" state`},
		{db.Failed, db.Success},
		{db.Pending, gallery.AnyState}}
	for _, viewer := range []int64{ann, bo, -1} {
		for _, mine := range []bool{false, true} {
			for _, state := range states {
				for _, scene := range [][]string{nil, {"image-to-video"}, {"video"}} {
					for _, model := range [][]string{nil, {"veo3"}, {`o"dd'%`}, {"veo3", "veo3", `o"dd'%`}} {
						f := gallery.Filter{Viewer: viewer, States: state, Scenes: scene, Models: model, Limit: 100}
						if mine {
							f.Makers = []int64{viewer}
						}
						var want []int64
						for _, task := range tasks {
							if chosen(f, task) {
								want = append(want, task.ID)
							}
						}
						got, total, err := s.Search.CountedTasks(t.Context(), f)
						must(t, err)
						if !slices.Equal(suite.IDs(got), want) || total != len(want) {
							t.Fatalf("%+v: %v, %d in all, want %v", f, suite.IDs(got), total, want)
						}
					}
				}
			}
		}
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	s, ann, _, tasks := fullGallery(t)
	f := gallery.Filter{Viewer: ann, States: []db.State{gallery.AnyState}, Limit: 7}
	var seen []int64
	for {
		page, err := s.Search.Tasks(t.Context(), f)
		must(t, err)
		if len(page) == 0 {
			break
		}
		seen = append(seen, suite.IDs(page)...)
		f.Before = page[len(page)-1].ID
	}
	var want []int64
	for _, task := range slices.Backward(tasks) {
		if task.VisibleTo(ann) {
			want = append(want, task.ID)
		}
	}
	suite.Same(t, seen, want)
	if none, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: ann}); len(none) > 0 || err != nil {
		t.Error("a page of no tasks holds some", err)
	}
}

func TestPageBringsNamesAndMedia(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	var want []db.Task
	for range 3 {
		id := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, db.Success, suite.Day).ID
		task, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			return t.Keep(
				[]db.Media{{Kind: db.Video, Hash: "a", CreatedAt: suite.Day}, {Kind: db.Cover, Hash: "b", CreatedAt: suite.Day}},
				true,
			)
		})
		must(t, err)
		want = append([]db.Task{task}, want...)
	}
	got, err := s.Search.Tasks(t.Context(), gallery.Filter{Limit: 10})
	must(t, err)
	suite.Same(t, got, want)
}

func TestSearchFindsWordsByTheirBeginning(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for _, prompt := range []string{
		"A red kite over the sea", "Ein Drachen ÜBER dem Meer", "the kitesurfer’s cafe\u0301", "红色的风筝 in the sky", "",
		"seedance-2.0 in 4k, don't stop", "हिन्दी में", "supercalifragilisticexpialidocious-and-longer",
		fmt.Sprintf("\uE000u%d \uE000s%X", u.ID, "success"), "⚠️Lighthouse ☀️ at dusk 1️⃣",
	} {
		suite.Bring(t, s, suite.AddTask(t, s, u.ID, prompt).ID, db.Success, suite.Day)
	}
	for query, want := range map[string][]int64{
		"":      {10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		" \t\n": {10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		"?!…\"": nil, "🎈": nil, "❤️": nil, "👩‍🚀": nil, "🎈 kite": {3, 1}, // what has no letter is found nowhere
		"kite ❤️": {3, 1}, "❤️kite": {3, 1}, "red❤️kite": {1}, "🎈 nothing": nil, // emoji beside words count for nothing
		"lighthouse": {10}, "⚠️ lighthouse": {10}, "☀️": nil, "dusk ❤️": {10}, "1️⃣": {10},
		"kit": {3, 1}, "KITE": {3, 1}, "kites": {3}, "ite": nil,
		"uber": {2}, "über meer": {2}, "meer über": {2}, "über sea": nil,
		"café": {3}, "cafe": {3}, "surfer's": nil, "kitesurfer's": {3},
		"红色": {4}, "in": {6, 4}, "dont": nil, "don't": {6}, "seedance-2.0": {6}, "2.0": {6},
		"the AND sea": nil, "kite OR sea": nil, "NOT kite": nil, "sea*": {1}, `"red kite"`: {1}, "prompt:kite": nil,
		"facets": nil, "\uE000": nil, "u1": {9}, "हिन्दी": {7},
		"supercalifragilisticexpialidocious": {8}, "supercalifragilisticexpialidociousness": {8},
		"a red kite over the sea a red nothing": {1}, // only the first eight words count
	} {
		got, err := s.Search.Tasks(t.Context(), gallery.Filter{Query: query, Limit: 100})
		must(t, err)
		if !slices.Equal(suite.IDs(got), want) {
			t.Errorf("%q: %v, want %v", query, suite.IDs(got), want)
		}
	}
}

func TestSearchFollowsTheTask(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Bo")
	id := suite.AddTask(t, s, u.ID, "a kite").ID
	find := func(query string, state db.State) int {
		t.Helper()
		_, total, err := s.Search.CountedTasks(t.Context(), gallery.Filter{Viewer: u.ID, Query: query, States: []db.State{state}})
		must(t, err)
		return total
	}
	for i, state := range []db.State{db.Sending, db.Pending, db.Processing, db.Success} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.State, t.Prompt = state, fmt.Sprint("kite number", i)
			return nil
		})
		must(t, err)
		if find("kite", state) != 1 || find(fmt.Sprint("number", i), gallery.AnyState) != 1 {
			t.Errorf("not found as %s", state)
		}
		if find("kite", db.Queued) != 0 || find("number9", gallery.AnyState) != 0 || find("a", state) != 0 {
			t.Errorf("found as what it was, when it is %s", state)
		}
	}
}

// Any query returns a result, never an error, and never tasks that the viewer may
// not see.
func FuzzSearch(f *testing.F) {
	s, ann, bo, _ := fullGallery(f)
	for _, seed := range []string{
		"kite", `"`, `""`, `"kite" OR *`, "NEAR(a b, 2)", "prompt : x", "- x", "^x", "{a b}", "a+b", "(", "\x00", "a\x00b", "\xff\xfe",
		"\uE000u2", "é\u0301\u0301", "\u0301", "अ\u093E", "𞤀𞤁 \U00010D40", "\u200b\u200d", "a\u0327b", strings.Repeat("x ", 5000), "ﬀ İ ß",
		"风筝", "ー", "ที่", "ក្រ", "葛\U000E0100", "한글", "\uE000v", "a风b筝c", "（風）", strings.Repeat("風", 300),
	} {
		f.Add(seed, seed, seed, seed)
	}
	// Every other query may cost some times as much as a long one of many words.
	var longQuery time.Duration
	costtest.Linear(f, "words of a query", 5000, func(n int) time.Duration {
		longQuery = costtest.Of(func() {
			_, _, err := s.Search.CountedTasks(f.Context(), gallery.Filter{
				Viewer: ann, Query: strings.Repeat("x ", n), States: []db.State{gallery.AnyState}, Limit: 100,
			})
			must(f, err)
		})
		return longQuery
	})
	longQuery = max(longQuery, 40*time.Millisecond)
	f.Fuzz(func(t *testing.T, query, scene, model, state string) {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute) // a server works in a process of its own
		defer stop()
		for _, filter := range []gallery.Filter{
			{Viewer: ann, Query: query, States: []db.State{gallery.AnyState}, Limit: 100},
			{
				Viewer: ann, Query: query, Scenes: []string{scene, "x"}, Models: []string{model},
				States: []db.State{db.State(state)}, Makers: []int64{ann}, Limit: 100,
			},
		} {
			began := costtest.Processor()
			tasks, total, err := s.Search.CountedTasks(ctx, filter)
			must(t, err)
			states, err := s.Search.CountFacet(ctx, filter, gallery.ByState)
			must(t, err)
			counted := states[string(filter.States[0])]
			if filter.States[0] == gallery.AnyState {
				counted = 0
				for _, n := range states {
					counted += n
				}
			}
			if total != len(tasks) || counted != total && filter.States[0] != "" {
				t.Fatalf("%+v lists %d of %d and counts %v", filter, len(tasks), total, states)
			}
			for _, task := range tasks {
				if task.UserID == bo && task.State != db.Success {
					t.Fatalf("%+v shows task %d, which is %s", filter, task.ID, task.State)
				}
			}
			if cost := costtest.Processor() - began; cost > 50*longQuery {
				t.Errorf("it costs %v, and a long query %v", cost, longQuery)
			}
		}
		if !utf8.ValidString(query) {
			_, err := s.Search.CountFacet(t.Context(), gallery.Filter{Query: query}, gallery.ByModel)
			must(t, err)
		}
	})
}

// In scripts without spaces any part of a run of letters is found; in others, any
// beginning of a word. Different encodings of a character are equivalent.
func TestWordsOfAnyScriptAreFound(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	prompts := []string{
		1: "红色的风筝飞过上海", 2: "夕焼けの空を飛ぶ赤い凧、カメラはゆっくり", 3: "ว่าวสีแดงบินเหนือทะเล", 4: "빨간 연이 바다 위로 날아간다",
		5: "طائرة ورقية حمراء فوق البحر", 6: "красный воздушный змей", 7: "ພູເຂົາສູງ", 8: "ភ្នំខ្ពស់", 9: "မြင့်သောတောင်", 10: "རི་མཐོན་པོ",
		11: "iPhone手机3号", 12: "लाल पतंग समुद्र के ऊपर", 13: "cafe\u0301 Ａｂｃ ｶﾒﾗ", 14: "\u1112\u1161\u11ab\u1100\u1173\u11af",
		15: "葛\U000E0100城", 16: "a kite",
	}
	for _, prompt := range prompts[1:] {
		suite.Bring(t, s, suite.AddTask(t, s, u.ID, prompt).ID, db.Success, suite.Day)
	}
	for query, want := range map[string][]int64{
		"红色": {1}, "风筝": {1}, "筝飞": {1}, "上海": {1}, "海": {1}, "风 海": {1}, "筝风": nil, "红风": nil, "风筝 kite": nil,
		"夕焼け": {2}, "焼け": {2}, "飛ぶ赤い": {2}, "カメラ": {13, 2}, "メラ": {13, 2}, "ラメ": nil, "ゆっくり": {2},
		"สี": {3}, "แดง": {3}, "ทะเล": {3}, "แดงบิน": {3}, "บินแดง": nil,
		"연": {4}, "바다": {4}, "바": {4}, "빨간 바다": {4}, "다위": nil,
		"البحر": {5}, "حمر": {5}, "красн": {6}, "КРАСНЫЙ змей": {6}, "расный": nil,
		"ເຂົາ": {7}, "ខ្ពស់": {8}, "တောင်": {9}, "མཐོན": {10}, "iphone": {11}, "手机": {11}, "机3": {11}, "3号": {11}, "phone": nil,
		"पतंग": {12}, "समु": {12}, "सम": {12}, "café": {13}, "abc": {13}, "한글": {14}, "한": {14}, "葛城": {15}, "葛": {15},
	} {
		got, total, err := s.Search.CountedTasks(t.Context(), gallery.Filter{Query: query, Limit: 100})
		must(t, err)
		if !slices.Equal(suite.IDs(got), want) || total != len(want) {
			t.Errorf("%q: %v, %d in all, want %v", query, suite.IDs(got), total, want)
		}
	}
}

func TestThePromptStaysAsItWasTyped(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for _, prompt := range []string{"红色的风筝", "Ａ cafe\u0301…", "\uE000v"} {
		id := suite.AddTask(t, s, u.ID, prompt).ID
		if task, err := s.Tasks.Task(t.Context(), id); err != nil || task.Prompt != prompt {
			t.Errorf("%q is %q, %v", prompt, task.Prompt, err)
		}
	}
}

// Facet markers in a prompt have no effect: nobody sees more tasks because of them.
func TestFacetsInAPromptHaveNoEffect(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "\uE000v \uE000b \uE000u2 \uE000x2 \uE000f").ID, db.Failed, suite.Day)
	for _, f := range []gallery.Filter{{}, {States: []db.State{gallery.AnyState}}, {Starred: true}, {Makers: []int64{bo.ID}}} {
		f.Viewer, f.Limit = bo.ID, 10
		if got, err := s.Search.Tasks(t.Context(), f); len(got) > 0 || err != nil {
			t.Errorf("%+v shows %v, %v", f, suite.IDs(got), err)
		}
	}
	if got, err := s.Bin.Tasks(t.Context(), bo, 0, 10); len(got) > 0 || err != nil {
		t.Errorf("the bin shows %v, %v", suite.IDs(got), err)
	}
}
