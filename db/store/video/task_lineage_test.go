package video_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/suite"
)

// from adds a video that was made from another, and whose file is kept if it
// succeeded.
func (h pair) from(t *testing.T, maker, parent int64, reuse db.Reuse, batch string, state db.State) int64 {
	t.Helper()
	task := suite.NewTask(maker, "a scene")
	task.ParentID, task.Reuse, task.Batch = parent, reuse, batch
	suite.Queue(t, h.Store, &task)
	id := suite.Bring(t, h.Store, task.ID, state, suite.Day).ID
	if state == db.Success {
		_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { return t.Keep(nil, true) })
		must(t, err)
	}
	return id
}

func TestLineageShowsWhatMayBeSeen(t *testing.T) {
	h := newTeam(t)
	a := h.from(t, h.Bo.ID, h.Anns, db.Copied, "press", db.Success)
	b := h.from(t, h.Bo.ID, h.Anns, db.Copied, "press", db.Failed)
	c := h.from(t, h.Ann.ID, h.Anns, db.Prompted, "press", db.Success)
	h.from(t, h.Bo.ID, h.BosPrivate, db.Copied, "", db.Success)
	look := func(viewer, id int64) (parent int64, children, batch []int64) {
		t.Helper()
		task, err := h.Tasks.Task(t.Context(), id)
		must(t, err)
		l, err := h.Lineage.Of(t.Context(), viewer, task)
		must(t, err)
		if l.Parent != nil {
			parent = l.Parent.ID
		}
		return parent, suite.IDs(l.Children), suite.IDs(l.Batch)
	}
	_, children, _ := look(h.Bo.ID, h.Anns)
	suite.Same(t, children, []int64{a, b, c})
	_, children, _ = look(h.Ann.ID, h.Anns)
	suite.Same(t, children, []int64{a, c})
	parent, _, batch := look(h.Ann.ID, a)
	suite.Same(t, batch, []int64{c})
	suite.Same(t, parent, h.Anns)
	_, err := h.Bin.DeleteTasks(t.Context(), h.Ann, []int64{h.Anns, c}, suite.Day)
	must(t, err)
	parent, _, batch = look(h.Bo.ID, a)
	suite.Same(t, batch, []int64{b})
	suite.Same(t, parent, 0)
	parent, _, _ = look(h.Ann.ID, c+1)
	suite.Same(t, parent, 0) // it was made from a private video
}

func TestAStorylineGoesFromTheFirstSceneToTheNewest(t *testing.T) {
	h := newTeam(t)
	bo := h.Bo.ID
	one := h.from(t, bo, h.Anns, db.Copied, "", db.Success) // a copy is not a next scene
	two := h.from(t, bo, one, db.Continued, "", db.Success)
	other := h.from(t, bo, one, db.Continued, "", db.Success)
	three := h.from(t, bo, two, db.Continued, "", db.Success)
	failed := h.from(t, bo, three, db.Continued, "", db.Failed)
	four := h.from(t, bo, failed, db.Retried, "", db.Success)
	chain := func(viewer, id int64) []int64 {
		t.Helper()
		tasks, err := h.Lineage.Chain(t.Context(), viewer, id)
		must(t, err)
		return suite.IDs(tasks)
	}
	for _, viewer := range []int64{bo, h.Ann.ID} {
		suite.Same(t, chain(viewer, two), []int64{one, two, three, four})
		suite.Same(t, chain(viewer, four), []int64{one, two, three, four})
		suite.Same(t, chain(viewer, one), []int64{one, other})
		suite.Same(t, chain(viewer, other), []int64{one, other})
	}
	suite.Same(t, chain(bo, failed), []int64{one, two, three, failed, four})
	suite.Same(t, chain(h.Ann.ID, failed), nil)
	suite.Same(t, chain(bo, 4711), nil)
	_, err := h.Tasks.PrivateTasks(t.Context(), h.Bo, []int64{three}, true)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{other}, suite.Day)
	must(t, err)
	suite.Same(t, chain(h.Ann.ID, one), []int64{one, two, four})
	suite.Same(t, chain(h.Ann.ID, three), nil)
}

func TestAStorylineIsBounded(t *testing.T) {
	h := newTeam(t)
	ids := []int64{h.Bos}
	for range 60 {
		ids = append(ids, h.from(t, h.Bo.ID, ids[len(ids)-1], db.Continued, "", db.Success))
	}
	for _, at := range []int{0, 30, 60} {
		tasks, err := h.Lineage.Chain(t.Context(), h.Ann.ID, ids[at])
		must(t, err)
		if len(tasks) != 50 || !slices.Contains(suite.IDs(tasks), ids[at]) || !slices.IsSorted(suite.IDs(tasks)) {
			t.Errorf("through %d: %v", ids[at], suite.IDs(tasks))
		}
	}
}

// Alone lets pages skip the query for a storyline.
func TestATaskIsAloneWhereItsStorylineHasNothingElse(t *testing.T) {
	h := newTeam(t)
	bo := h.Bo.ID
	one := h.from(t, bo, h.Anns, db.Copied, "", db.Success)
	two := h.from(t, bo, one, db.Continued, "", db.Success)
	failed := h.from(t, bo, two, db.Continued, "", db.Failed)
	again := h.from(t, bo, failed, db.Retried, "", db.Success)
	copied := h.from(t, bo, again, db.Finalized, "", db.Success)
	lone := h.from(t, bo, 0, db.NoReuse, "", db.Success)
	for id, want := range map[int64]bool{h.Anns: true, one: false, two: false, failed: false, again: false, copied: true, lone: true} {
		task, err := h.Tasks.Task(t.Context(), id)
		must(t, err)
		alone, err := h.Lineage.Alone(t.Context(), task)
		must(t, err)
		chain, err := h.Lineage.Chain(t.Context(), bo, id)
		must(t, err)
		if alone != want || alone && (len(chain) != 1 || chain[0].ID != id) {
			t.Errorf("task %d: alone %v, want %v, its storyline is %v", id, alone, want, suite.IDs(chain))
		}
	}
}

// together returns tasks of one submission.
func together(userID int64, batch string, tokens ...string) []db.Task {
	var tasks []db.Task
	for _, token := range tokens {
		t := suite.NewTask(userID, "a boat")
		t.FormToken, t.Batch = token, batch
		tasks = append(tasks, t)
	}
	return tasks
}

func TestBatchesTellAboutVisibleVideos(t *testing.T) {
	s := suite.Open(t)
	ann, bob := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bob")
	r := suite.NewRecipe(ann.ID, "cups")
	must(t, s.Recipes.AddRecipe(t.Context(), &r))
	ordered := together(ann.ID, "x", "a", "b", "c", "d", "e", "f")
	for i := range ordered {
		ordered[i].RecipeID = r.ID
	}
	tasks, err := s.AddTasks(t.Context(), ordered)
	must(t, err)
	for _, made := range tasks[:4] {
		suite.Bring(t, s, made.ID, db.Success, suite.Day)
	}
	suite.Bring(t, s, tasks[4].ID, db.Failed, suite.Day)
	for i, change := range map[int]func(*db.Task) error{
		1: func(t *db.Task) error { t.Private = true; return nil },
		2: func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(ann.ID, suite.Day) },
	} {
		_, err := s.Tasks.UpdateTask(t.Context(), tasks[i].ID, change)
		must(t, err)
	}
	suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "alone").ID, db.Success, suite.Day)
	for viewer, want := range map[int64]gallery.Group{
		ann.ID: {Ready: []int64{tasks[0].ID, tasks[1].ID, tasks[3].ID}, Videos: 5, Running: 1, RecipeName: "cups"},
		bob.ID: {Ready: []int64{tasks[0].ID, tasks[3].ID}, Videos: 2, RecipeName: "cups"},
	} {
		got, err := s.Lineage.Batches(t.Context(), viewer, []string{"x", "", "none", "x"})
		must(t, err)
		suite.Same(t, got, map[string]gallery.Group{"x": want})
	}
}

func TestAStorylineKeepsItsOrderAndCuts(t *testing.T) {
	h := newTeam(t)
	bo := h.Bo.ID
	one := h.from(t, bo, h.Anns, db.Copied, "", db.Success)
	two := h.from(t, bo, one, db.Continued, "", db.Success)
	three := h.from(t, bo, two, db.Continued, "", db.Success)
	order := func(id int64) []int64 {
		t.Helper()
		tasks, err := h.Lineage.Chain(t.Context(), bo, id)
		must(t, err)
		return suite.IDs(tasks)
	}
	must(t, h.Lineage.SetCuts(t.Context(), []gallery.Cut{{TaskID: three}, {TaskID: one, Start: 12, Finish: 40}, {TaskID: two, Start: 1}}))
	for _, id := range []int64{one, two, three} {
		suite.Same(t, order(id), []int64{three, one, two})
	}
	must(t, h.Lineage.SetCuts(t.Context(), []gallery.Cut{{TaskID: one, Start: 3}, {TaskID: three}}))
	four := h.from(t, bo, three, db.Continued, "", db.Success) // not in the stored order yet
	suite.Same(t, order(one), []int64{one, three, two, four})
	cuts, err := h.Lineage.Cuts(t.Context(), []int64{one, two, four})
	must(t, err)
	if want := (map[int64]gallery.Cut{one: {TaskID: one, Start: 3}, two: {TaskID: two, Start: 1}}); !maps.Equal(cuts, want) {
		t.Errorf("the cuts are %v", cuts)
	}
	if err := h.Lineage.SetCuts(t.Context(), []gallery.Cut{{TaskID: four}, {TaskID: 99999}}); err == nil {
		t.Error("a scene that does not exist is kept")
	}
	suite.Same(t, order(one), []int64{one, three, two, four})
}

func TestOwnBatchesShowTheirProgress(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	r := suite.NewRecipe(ann.ID, "cups")
	must(t, s.Recipes.AddRecipe(t.Context(), &r))
	make := func(user int64, batch string, recipe int64, state db.State, after time.Duration) db.Task {
		task := suite.NewTask(user, "made")
		task.Batch, task.RecipeID, task.CreatedAt = batch, recipe, suite.Day.Add(after)
		suite.Queue(t, s, &task)
		suite.Bring(t, s, task.ID, state, suite.Day)
		return task
	}
	make(ann.ID, "old", r.ID, db.Success, time.Minute)
	make(ann.ID, "old", r.ID, db.Failed, time.Minute) // it is refunded
	make(ann.ID, "new", r.ID, db.Success, time.Hour)
	make(ann.ID, "new", r.ID, db.Pending, time.Hour)
	make(ann.ID, "variations", 0, db.Success, time.Hour)
	make(ann.ID, "", r.ID, db.Success, time.Hour)
	make(bo.ID, "bo's", r.ID, db.Success, time.Hour)
	gone := make(ann.ID, "new", r.ID, db.Success, time.Hour)
	_, err := s.Tasks.UpdateTask(t.Context(), gone.ID, func(t *db.Task) error { t.DeletedAt, t.DeletedBy = suite.Day, ann.ID; return nil })
	must(t, err)

	got, err := s.Lineage.OwnBatches(t.Context(), ann.ID, 10)
	must(t, err)
	suite.Same(t, got, []gallery.Batch{
		{Name: "new", RecipeName: "cups", Videos: 2, Ready: 1, Running: 1, Spent: got[0].Spent, CreatedAt: suite.Day.Add(time.Hour)},
		{Name: "old", RecipeName: "cups", Videos: 2, Ready: 1, Spent: 30, CreatedAt: suite.Day.Add(time.Minute)},
	})
	one, err := s.Lineage.OwnBatches(t.Context(), ann.ID, 1)
	must(t, err)
	suite.Same(t, one, got[:1])
}
