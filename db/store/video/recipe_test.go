package video_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/suite"
)

func TestARecipeIsKeptAsItIs(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	r := suite.NewRecipe(ann.ID, "Turntable")
	r.TaskID = suite.AddTask(t, s, ann.ID, "the first one").ID
	must(t, s.Recipes.AddRecipe(t.Context(), &r))
	r.MakerName = "Ann"
	got, err := s.Recipes.Recipe(t.Context(), r.ID)
	must(t, err)
	suite.Same(t, got, r)

	got, err = s.Recipes.UpdateRecipe(t.Context(), r.ID, func(r *ordering.Recipe) error {
		r.Name, r.Ceiling, r.ChangedAt = "Slow turntable", db.Credits{}, suite.Day.Add(time.Hour)
		return nil
	})
	must(t, err)
	again, err := s.Recipes.Recipe(t.Context(), r.ID)
	must(t, err)
	suite.Same(t, again, got)
	if again.Name != "Slow turntable" || again.Ceiling.Known {
		t.Errorf("changed it is %+v", again)
	}

	no := errors.New("no")
	if _, err := s.Recipes.UpdateRecipe(t.Context(), r.ID, func(r *ordering.Recipe) error { r.Name = "?"; return no }); !errors.Is(err, no) {
		t.Errorf("the error of the change got lost: %v", err)
	}
	_, err = s.Recipes.Recipe(t.Context(), 99)
	suite.Wants(t, err, db.ErrNotFound)
	_, err = s.Recipes.UpdateRecipe(t.Context(), 99, func(*ordering.Recipe) error { return nil })
	suite.Wants(t, err, db.ErrNotFound)
	nobodys := suite.NewRecipe(99, "x")
	suite.Wants(t, s.Recipes.AddRecipe(t.Context(), &nobodys), db.ErrNotFound)
}

func TestRecipesCountTheUsesThatTheViewerMaySee(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	used, unused, gone := suite.NewRecipe(ann.ID, "used"), suite.NewRecipe(ann.ID, "unused"), suite.NewRecipe(ann.ID, "gone")
	for _, r := range []*ordering.Recipe{&used, &unused, &gone} {
		must(t, s.Recipes.AddRecipe(t.Context(), r))
	}
	_, err := s.Recipes.UpdateRecipe(t.Context(), gone.ID, func(r *ordering.Recipe) error { return r.Delete(suite.Day) })
	must(t, err)
	covered := func(t *db.Task) {
		t.Media = []db.Media{{Kind: db.Cover, Hash: fmt.Sprintf("%064d", t.ID), Type: "image/jpeg", Size: 1, CreatedAt: suite.Day}}
	}
	make := func(state db.State, after time.Duration, change func(*db.Task)) {
		task := suite.NewTask(ann.ID, "made")
		task.RecipeID, task.CreatedAt = used.ID, suite.Day.Add(after)
		suite.Queue(t, s, &task)
		suite.Bring(t, s, task.ID, state, suite.Day)
		_, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { change(t); return nil })
		must(t, err)
	}
	make(db.Success, time.Minute, covered)
	make(db.Failed, 2*time.Minute, covered)
	make(db.Success, 3*time.Minute, func(t *db.Task) { t.Private = true; covered(t) })
	make(db.Success, 4*time.Minute, func(t *db.Task) { t.DeletedAt, t.DeletedBy = suite.Day, ann.ID })

	for _, tt := range []struct {
		viewer int64
		uses   int
		last   time.Duration
		cover  int64 // ID of the task that it shows
	}{{ann.ID, 3, 3 * time.Minute, 3}, {bo.ID, 1, time.Minute, 1}} {
		list, err := s.Recipes.Latest(t.Context(), tt.viewer, 10)
		must(t, err)
		if len(list) != 2 || list[0].Name != "used" || list[1].Name != "unused" {
			t.Fatalf("the recipes are %+v", list)
		}
		task, err := s.Tasks.Task(t.Context(), tt.cover)
		must(t, err)
		if cover, ok := task.Cover(); !ok || list[0].Cover != cover.ID || list[1].Cover != 0 {
			t.Errorf("person %d sees the picture %d, want that of video %d; and %d of the unused", tt.viewer, list[0].Cover, tt.cover, list[1].Cover)
		}
		if list[0].Uses != tt.uses || !list[0].UsedAt.Equal(suite.Day.Add(tt.last)) || list[1].Uses != 0 || !list[1].UsedAt.IsZero() {
			t.Errorf("person %d sees %d uses, last %v; and %d of the unused", tt.viewer, list[0].Uses, list[0].UsedAt, list[1].Uses)
		}
	}
	if list, err := s.Recipes.Latest(t.Context(), ann.ID, 1); err != nil || len(list) != 1 {
		t.Errorf("limited to one: %d, %v", len(list), err)
	}
}

func TestTasksOfOnePressAreAddedAllOrNone(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	batch := secrets.NewToken()
	three := []db.Task{suite.NewTask(ann.ID, "one"), suite.NewTask(ann.ID, "two"), suite.NewTask(ann.ID, "three")}
	for i := range three {
		three[i].Batch = batch
	}
	added, err := s.AddTasks(t.Context(), three)
	must(t, err)
	if len(added) != 3 || added[0].Prompt != "one" || added[2].Prompt != "three" || added[0].ID == 0 {
		t.Fatalf("added %+v", added)
	}
	again, err := s.AddTasks(t.Context(), three)
	must(t, err)
	suite.Same(t, again, added)
	list, err := s.Lineage.BatchTasks(t.Context(), batch, 10)
	must(t, err)
	suite.Same(t, list, added)

	bad := []db.Task{suite.NewTask(ann.ID, "four"), suite.NewTask(99, "five")}
	bad[0].Batch = "other"
	_, err = s.AddTasks(t.Context(), bad)
	suite.Wants(t, err, db.ErrNotFound)
	if _, err = s.AddTasks(t.Context(), []db.Task{{UserID: ann.ID}}); err == nil {
		t.Error("a task without a form token was added")
	}
	list, err = s.Lineage.BatchTasks(t.Context(), "other", 10)
	must(t, err)
	if len(list) != 0 {
		t.Error("half of a press was added")
	}
	if list, err = s.Lineage.BatchTasks(t.Context(), "", 10); err != nil || len(list) != 0 {
		t.Errorf("no batch has %d tasks, %v", len(list), err)
	}
}

// Everybody sees the newest recipes, so one person must not push out those of others.
func TestAPersonHasALimitedNumberOfRecipes(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	add := func(by db.User) (ordering.Recipe, error) {
		r := suite.NewRecipe(by.ID, "x")
		err := s.Recipes.AddRecipe(t.Context(), &r)
		return r, err
	}
	first, err := add(ann)
	must(t, err)
	for range ordering.MaxRecipes - 1 {
		_, err := add(ann)
		must(t, err)
	}
	_, err = add(ann)
	suite.Wants(t, err, db.ErrFull)
	_, err = add(bo)
	must(t, err)
	_, err = s.Recipes.UpdateRecipe(t.Context(), first.ID, func(r *ordering.Recipe) error { return r.Delete(suite.Day) })
	must(t, err)
	_, err = add(ann)
	must(t, err)
	_, err = s.Recipes.UpdateRecipe(t.Context(), first.ID, func(r *ordering.Recipe) error { return r.Restore() })
	suite.Wants(t, err, db.ErrFull)
	recipes, err := s.Recipes.Latest(t.Context(), bo.ID, 500)
	must(t, err)
	suite.Same(t, len(recipes), ordering.MaxRecipes+1)
}
