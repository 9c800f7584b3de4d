package site

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/web"
)

// RecipeOf returns the recipe that the task was made with, even a deleted one, or nil
// if there is none.
func (s *Named) RecipeOf(r *http.Request, t db.Task) (*ordering.Recipe, error) {
	if t.RecipeID == 0 {
		return nil, nil
	}
	rec, err := s.recipes.Recipe(r.Context(), t.RecipeID)
	return &rec, err
}

// OwnTask returns the task in the path if the viewer made it, and otherwise a 404
// error.
func (s *Named) OwnTask(r *http.Request) (db.Task, error) {
	t, err := s.Task(r)
	if err == nil && t.UserID != Me(r).ID {
		err = web.NotFound()
	}
	return t, err
}

// DecideTask records that the viewer has decided what to do about the unconfirmed task
// in the path, which must be theirs. It returns db.ErrConflict if the task is in another
// state.
func (s *Named) DecideTask(r *http.Request) (db.Task, error) {
	t, err := s.OwnTask(r)
	if err != nil {
		return t, err
	}
	return s.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if t.State != db.Unconfirmed {
			return fmt.Errorf("task %d is %s: %w", t.ID, t.State, db.ErrConflict)
		}
		return t.Decide(db.Now())
	})
}

// Task returns the task in the path if the viewer may see it, and otherwise a 404
// error.
func (s *Named) Task(r *http.Request) (db.Task, error) {
	id, err := ID(r)
	if err != nil {
		return db.Task{}, err
	}
	return s.VisibleTask(r, id)
}

// VisibleTask returns the task with the ID if the viewer may see it, and otherwise a 404
// error.
func (s *Named) VisibleTask(r *http.Request, id int64) (db.Task, error) {
	t, err := s.tasks.Task(r.Context(), id)
	if err != nil {
		return t, err
	}
	if !t.VisibleTo(Me(r).ID) {
		return t, web.NotFound()
	}
	return t, nil
}
