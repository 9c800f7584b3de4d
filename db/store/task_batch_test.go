package store_test

import (
	"testing"

	"dailies/db"
)

// together are tasks of one press.
func together(userID int64, batch string, tokens ...string) []db.Task {
	var tasks []db.Task
	for _, token := range tokens {
		t := newTask(userID, "a boat")
		t.FormToken, t.Batch = token, batch
		tasks = append(tasks, t)
	}
	return tasks
}

func TestBatchesNameWhatIsMadeAndMayBeSeen(t *testing.T) {
	s := open(t)
	ann, bob := addUser(t, s, "Ann"), addUser(t, s, "Bob")
	tasks, err := s.AddTasks(t.Context(), together(ann.ID, "x", "a", "b", "c", "d", "e"))
	must(t, err)
	for _, made := range tasks[:4] {
		bring(t, s, made.ID, db.Success, day)
	}
	for i, change := range map[int]func(*db.Task) error{
		1: func(t *db.Task) error { t.Private = true; return nil },
		2: func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(ann.ID, day) },
	} {
		_, err := s.UpdateTask(t.Context(), tasks[i].ID, change)
		must(t, err)
	}
	bring(t, s, addTask(t, s, ann.ID, "alone").ID, db.Success, day)
	for viewer, want := range map[int64][]int64{ann.ID: {tasks[0].ID, tasks[1].ID, tasks[3].ID}, bob.ID: {tasks[0].ID, tasks[3].ID}} {
		got, err := s.Batches(t.Context(), viewer, []string{"x", "", "none", "x"})
		must(t, err)
		same(t, got, map[string][]int64{"x": want})
	}
}
