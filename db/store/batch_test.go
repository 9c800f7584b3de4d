package store_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestOwnBatchesSayHowFarTheyAre(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	r := newRecipe(ann.ID, "cups")
	must(t, s.AddRecipe(t.Context(), &r))
	make := func(user int64, batch string, recipe int64, state db.State, after time.Duration) db.Task {
		task := newTask(user, "made")
		task.Batch, task.RecipeID, task.CreatedAt = batch, recipe, day.Add(after)
		queue(t, s, &task)
		bring(t, s, task.ID, state, day)
		return task
	}
	make(ann.ID, "old", r.ID, db.Success, time.Minute)
	make(ann.ID, "old", r.ID, db.Failed, time.Minute) // it is returned
	make(ann.ID, "new", r.ID, db.Success, time.Hour)
	make(ann.ID, "new", r.ID, db.Pending, time.Hour)
	make(ann.ID, "variations", 0, db.Success, time.Hour)
	make(ann.ID, "", r.ID, db.Success, time.Hour)
	make(bo.ID, "bo's", r.ID, db.Success, time.Hour)
	gone := make(ann.ID, "new", r.ID, db.Success, time.Hour)
	_, err := s.UpdateTask(t.Context(), gone.ID, func(t *db.Task) error { t.DeletedAt, t.DeletedBy = day, ann.ID; return nil })
	must(t, err)

	got, err := s.OwnBatches(t.Context(), ann.ID, 10)
	must(t, err)
	same(t, got, []db.Batch{
		{Name: "new", RecipeName: "cups", Videos: 2, Ready: 1, Running: 1, Spent: got[0].Spent, CreatedAt: day.Add(time.Hour)},
		{Name: "old", RecipeName: "cups", Videos: 2, Ready: 1, Spent: 30, CreatedAt: day.Add(time.Minute)},
	})
	one, err := s.OwnBatches(t.Context(), ann.ID, 1)
	must(t, err)
	same(t, one, got[:1])
}
