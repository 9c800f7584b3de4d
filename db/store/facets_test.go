package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
)

// sorted has tasks of two people that are sorted in every way, with a clock
// that went back in between, and is what the store has of them.
func sorted(t *testing.T) (h team, tasks []db.Task) {
	t.Helper()
	h = newTeam(t)
	r := rand.New(rand.NewPCG(3, 4))
	var ids []int64
	for i := range 120 {
		task := newTask([]int64{h.ann.ID, h.bo.ID}[r.IntN(2)], []string{"a red kite", "a boat", "kites über dem Meer", "红色的风筝"}[r.IntN(4)])
		task.Scene = []string{"text-to-video", "image-to-video"}[r.IntN(2)]
		task.Model = []string{"veo3", `o"dd'%`, "bytedance/v1"}[r.IntN(3)]
		task.Options.AspectRatio = []string{"", "16:9", "9:16"}[r.IntN(3)]
		task.CreatedAt = day.Add(time.Duration(i) * time.Hour)
		if i > 60 && i < 70 {
			task.CreatedAt = task.CreatedAt.Add(-10 * time.Hour)
		}
		queue(t, h.Store, &task)
		ids = append(ids, bring(t, h.Store, task.ID, []db.State{db.Success, db.Success, db.Success, db.Failed, db.Pending}[r.IntN(5)], day).ID)
		if r.IntN(2) == 0 {
			_, err := h.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
				if t.State == db.Success {
					return t.Keep(nil, true)
				}
				return nil
			})
			must(t, err)
		}
	}
	some := func(n int) (chosen []int64) {
		for _, id := range ids {
			if r.IntN(n) == 0 {
				chosen = append(chosen, id)
			}
		}
		return chosen
	}
	for _, u := range []db.User{h.ann, h.bo} {
		_, err := h.StarTasks(t.Context(), u, some(4), true)
		must(t, err)
		_, err = h.PrivateTasks(t.Context(), u, some(4), true)
		must(t, err)
		for _, tag := range []string{"Spring", "Ärger"} {
			_, err = h.TagTasks(t.Context(), u, some(4), []string{tag}, nil, day)
			must(t, err)
		}
		_, err = h.DeleteTasks(t.Context(), u, some(6), day)
		must(t, err)
	}
	for id := range ids[len(ids)-1] {
		task, err := h.Task(t.Context(), id+1)
		must(t, err)
		tasks = append(tasks, task)
	}
	slices.Reverse(tasks)
	return h, tasks
}

// fits says the slow and plain way whether the filter chooses the task.
func fits(f db.TaskFilter, t db.Task) bool {
	if !t.VisibleTo(f.Viewer) && !(f.Bin && f.AllBins && t.State == db.Success && !t.Private) || t.DeletedAt.IsZero() == f.Bin ||
		f.Query != "" && !strings.Contains(strings.ToLower(t.Prompt), f.Query) {
		return false
	}
	if !f.From.IsZero() && t.CreatedAt.Before(f.From) || !f.Until.IsZero() && !t.CreatedAt.Before(f.Until) {
		return false
	}
	if f.Bin {
		return true
	}
	state := f.State
	if state == "" {
		state = db.Success
	}
	return (f.Maker == 0 || t.UserID == f.Maker) && (f.Scene == "" || t.Scene == f.Scene) && (f.Model == "" || t.Model == f.Model) &&
		(f.Ratio == "" || t.Options.AspectRatio == f.Ratio) && (state == db.AnyState || t.State == state) && (!f.Starred || t.Starred) &&
		(f.Tag == "" || slices.ContainsFunc(t.Tags, func(tag string) bool { return db.TagKey(tag) == db.TagKey(f.Tag) }))
}

// someFilter has each choice or not.
func someFilter(r *rand.Rand, h team) db.TaskFilter {
	f := db.TaskFilter{Viewer: []int64{h.ann.ID, h.bo.ID, 99}[r.IntN(3)]}
	maybe := func(choose func()) {
		if r.IntN(4) == 0 {
			choose()
		}
	}
	maybe(func() { f.Query = []string{"kite", "boat", "风筝", "红", "nothing"}[r.IntN(5)] })
	maybe(func() { f.Maker = []int64{h.ann.ID, h.bo.ID, 99}[r.IntN(3)] })
	maybe(func() { f.Scene = []string{"text-to-video", "no such"}[r.IntN(2)] })
	maybe(func() { f.Model = []string{"veo3", `o"dd'%`}[r.IntN(2)] })
	maybe(func() { f.Ratio = []string{"16:9", "9:16"}[r.IntN(2)] })
	maybe(func() { f.State = []db.State{db.AnyState, db.Failed, db.Pending, "no such"}[r.IntN(4)] })
	maybe(func() { f.Starred = true })
	maybe(func() { f.Tag = []string{"SPRING", "ärger", "none"}[r.IntN(3)] })
	maybe(func() { f.From = day.Add(time.Duration(r.IntN(130)) * time.Hour) })
	maybe(func() { f.Until = day.Add(time.Duration(r.IntN(130)) * time.Hour) })
	if r.IntN(10) == 0 {
		f.Bin, f.AllBins = true, r.IntN(2) == 0
	}
	return f
}

func TestEveryMixIsListedAndCounted(t *testing.T) {
	h, tasks := sorted(t)
	r := rand.New(rand.NewPCG(5, 6))
	spans := []db.Span{{From: day.Add(50 * time.Hour)}, {From: day.Add(10 * time.Hour), Until: day.Add(65 * time.Hour)}, {Until: day}}
	mixes := 300
	if testing.Short() {
		mixes = 50
	}
	for range mixes {
		f := someFilter(r, h)
		facets, err := h.CountFacets(t.Context(), f, spans)
		must(t, err)
		want := slowFacets(f, tasks, spans)
		if f.Bin { // it has no choices
			facets, want = db.Facets{Total: facets.Total}, db.Facets{Total: want.Total}
		}
		if !reflect.DeepEqual(facets, want) {
			t.Fatalf("%+v\ngot  %+v\nwant %+v", f, facets, want)
		}
		f.Limit = 200
		page, err := h.Tasks(t.Context(), f)
		must(t, err)
		var ids []int64
		for _, task := range tasks {
			if fits(f, task) {
				ids = append(ids, task.ID)
			}
		}
		if !slices.Equal(idsOf(page), ids) {
			t.Fatalf("%+v\nlisted %v\nwant   %v", f, idsOf(page), ids)
		}
	}
}

// slowFacets counts each choice by a filter of its own.
func slowFacets(f db.TaskFilter, tasks []db.Task, spans []db.Span) db.Facets {
	count := func(f db.TaskFilter) (n int) {
		for _, t := range tasks {
			if fits(f, t) {
				n++
			}
		}
		return n
	}
	facets := db.Facets{Total: count(f), Makers: map[int64]int{}, Scenes: map[string]int{}, Models: map[string]int{}, Ratios: map[string]int{},
		States: map[db.State]int{}, Tags: map[string]int{}}
	put := func(n int, into func(int)) {
		if n > 0 {
			into(n)
		}
	}
	for _, t := range tasks {
		g := f
		g.Maker = t.UserID
		put(count(g), func(n int) { facets.Makers[t.UserID] = n })
		g = f
		g.Scene = t.Scene
		put(count(g), func(n int) { facets.Scenes[t.Scene] = n })
		g = f
		g.Model = t.Model
		put(count(g), func(n int) { facets.Models[t.Model] = n })
		if g = f; t.Options.AspectRatio != "" {
			g.Ratio = t.Options.AspectRatio
			put(count(g), func(n int) { facets.Ratios[t.Options.AspectRatio] = n })
		}
		for _, s := range []db.State{t.State, db.AnyState} {
			g = f
			g.State = s
			put(count(g), func(n int) { facets.States[s] = n })
		}
		for _, tag := range t.Tags {
			g = f
			g.Tag = tag
			put(count(g), func(n int) { facets.Tags[db.TagKey(tag)] = n })
		}
	}
	g := f
	g.Starred = true
	facets.Starred = count(g)
	for _, s := range spans {
		g = f
		g.From, g.Until = s.From, s.Until
		facets.Dates = append(facets.Dates, count(g))
	}
	return facets
}

// What was counted before is counted anew after every change, whoever made it.
func TestCountsFollowEveryChange(t *testing.T) {
	h := newTeam(t)
	count := func(f db.TaskFilter) db.Facets {
		t.Helper()
		f.Viewer = h.bo.ID
		facets, err := h.CountFacets(t.Context(), f, nil)
		must(t, err)
		return facets
	}
	if n := count(db.TaskFilter{Query: "boat"}).Total; n != 3 {
		t.Fatalf("%d boats", n)
	}
	id := h.kept(t, h.ann.ID)
	if n := count(db.TaskFilter{Query: "boat"}).Total; n != 4 {
		t.Errorf("%d boats with a new one", n)
	}
	_, err := h.StarTasks(t.Context(), h.ann, []int64{id}, true)
	must(t, err)
	_, err = h.TagTasks(t.Context(), h.ann, []int64{id}, []string{"new"}, nil, day)
	must(t, err)
	if f := count(db.TaskFilter{Query: "boat"}); f.Starred != 1 || f.Tags["new"] != 1 {
		t.Errorf("%+v", f)
	}
	_, err = h.UpdateTask(t.Context(), id, func(t *db.Task) error { t.Prompt = "a ship"; return nil })
	must(t, err)
	if n := count(db.TaskFilter{Query: "boat"}).Total; n != 3 {
		t.Errorf("%d boats after one became a ship", n)
	}
	for i := range 60 { // more than are looked at one by one
		h.kept(t, h.ann.ID)
		if n := count(db.TaskFilter{}).Total; n != 5+i {
			t.Fatalf("%d videos, want %d", n, 5+i)
		}
	}
	if n := count(db.TaskFilter{Query: "boat"}).Total; n != 63 {
		t.Errorf("%d boats", n)
	}
	for i := range 40 { // more words than are remembered
		count(db.TaskFilter{Query: fmt.Sprint("boat ", i)})
	}
	if n := count(db.TaskFilter{Query: "boat"}).Total; n != 63 {
		t.Errorf("%d boats", n)
	}
}

func TestAPageGoesOnToACertainTask(t *testing.T) {
	h, tasks := sorted(t)
	f := db.TaskFilter{Viewer: h.ann.ID, State: db.AnyState, Limit: 3}
	var all []int64
	for _, task := range tasks {
		if fits(f, task) {
			all = append(all, task.ID)
		}
	}
	f.Through = all[20]
	page, err := h.Tasks(t.Context(), f)
	must(t, err)
	same(t, idsOf(page), all[:21])
	f.Before = all[9]
	page, err = h.Tasks(t.Context(), f)
	must(t, err)
	same(t, idsOf(page), all[10:21])
	f.Before = all[20]
	page, err = h.Tasks(t.Context(), f)
	must(t, err)
	same(t, idsOf(page), nil)
}

func TestACollectionIsCountedByEveryChoice(t *testing.T) {
	h := newTeam(t)
	c := db.Collection{Name: "Trailer", CreatedBy: h.bo.ID, CreatedAt: day}
	must(t, h.AddCollection(t.Context(), &c))
	_, err := h.AddToCollection(t.Context(), c.ID, h.bo.ID, []int64{h.anns, h.bos, h.bosPrivate}, day)
	must(t, err)
	facets, err := h.CountFacets(t.Context(), db.TaskFilter{Viewer: h.ann.ID, Collection: c.ID, Maker: h.bo.ID}, nil)
	must(t, err)
	if facets.Total != 1 || facets.Makers[h.ann.ID] != 1 || facets.Makers[h.bo.ID] != 1 || len(facets.Tags) > 0 {
		t.Errorf("%+v", facets)
	}
	same(t, h.find(t, db.TaskFilter{Viewer: h.ann.ID, Collection: c.ID}), []int64{h.anns, h.bos})
}
