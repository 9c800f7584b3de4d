package library_test

import (
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestBinListsOwnVideosAndForAdminsTheTeams(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	users := map[int64]db.User{1: {ID: 1, Role: db.Admin}, 2: {ID: 2}}
	thrown := func(maker int64, prompt string, private bool) {
		task := h.AddTask(t, maker, db.Success)
		_, err := h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Prompt = prompt; return nil })
		must(t, err)
		if private {
			_, err = h.Store.Tasks.PrivateTasks(t.Context(), users[maker], []int64{task.ID}, true)
			must(t, err)
		}
		_, err = h.Store.Bin.DeleteTasks(t.Context(), users[maker], []int64{task.ID}, db.Now())
		must(t, err)
	}
	kim.Get("/bin").Is(200).Shows("The bin is empty")
	thrown(1, "the first of kim", false)
	thrown(2, "the second of ada", false)
	thrown(2, "the third, hers alone", true)
	kim.Get("/tasks/1").Is(200).Shows("This video is in the bin. 30 days left.")
	kim.Get("/bin").Is(200).Shows("the first of kim", "the second of ada", "30 days left").Hides("the third, hers alone")
	ada.Get("/bin").Is(200).Shows("the second of ada", "the third, hers alone").Hides("the first of kim")
	for _, path := range []string{"/gallery", "/gallery?status=all", "/gallery?who=me&status=all"} {
		ada.Get(path).Is(200).Hides(`<li class="cell`)
		kim.Get(path).Is(200).Hides(`<li class="cell`)
	}
	ada.Get("/bin?before=x").Is(200).Shows("the second of ada")
}

func TestBinIsPaged(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var ids []int64
	for range 25 {
		ids = append(ids, h.AddTask(t, 1, db.Success).ID)
	}
	_, err := h.Store.Bin.DeleteTasks(t.Context(), db.User{ID: 1}, ids, db.Now())
	must(t, err)
	p.Get("/bin").Is(200).Shows(`"/bin?before=2"`).Lacks("#task-1")
	p.Get("/bin?before=2").Is(200).Has("#task-1").Hides("before=1")
}
