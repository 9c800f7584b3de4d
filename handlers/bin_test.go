package handlers_test

import (
	"testing"

	"dailies/db"
)

func TestBinHoldsOnesOwnAndForAdminsTheTeams(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	users := map[int64]db.User{1: {ID: 1, Role: db.Admin}, 2: {ID: 2}}
	thrown := func(maker int64, prompt string, private bool) {
		task := h.addTask(t, maker, db.Success)
		_, err := h.store.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Prompt = prompt; return nil })
		must(t, err)
		if private {
			_, err = h.store.PrivateTasks(t.Context(), users[maker], []int64{task.ID}, true)
			must(t, err)
		}
		_, err = h.store.DeleteTasks(t.Context(), users[maker], []int64{task.ID}, db.Now())
		must(t, err)
	}
	kim.get("/bin").is(200).shows("The bin is empty")
	thrown(1, "the first of kim", false)
	thrown(2, "the second of ada", false)
	thrown(2, "the third, hers alone", true)
	kim.get("/tasks/1").is(200).shows("This video is in the bin. Gone for good in 30 days.")
	kim.get("/bin").is(200).shows("the first of kim", "the second of ada", "Gone for good in 30 days").hides("the third, hers alone")
	ada.get("/bin").is(200).shows("the second of ada", "the third, hers alone").hides("the first of kim")
	for _, path := range []string{"/gallery", "/gallery?status=all", "/gallery?who=me&status=all"} {
		ada.get(path).is(200).hides("<article")
		kim.get(path).is(200).hides("<article")
	}
	ada.get("/bin?before=x").is(200).shows("the second of ada")
}

func TestBinIsPaged(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var ids []int64
	for range 25 {
		ids = append(ids, h.addTask(t, 1, db.Success).ID)
	}
	_, err := h.store.DeleteTasks(t.Context(), db.User{ID: 1}, ids, db.Now())
	must(t, err)
	p.get("/bin").is(200).shows(`"/bin?before=2"`).hides(`id="task-1"`)
	p.get("/bin?before=2").is(200).shows(`id="task-1"`).hides("before=1")
}
