package gallery_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// A video that was queued before the team changed the service is not sent to the new one:
// its maker decides, and nobody else.
func TestQueuedVideosOfAnotherServiceAskTheirMakers(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	queue := func() db.Task {
		task := db.Task{UserID: 2, FormToken: secrets.NewToken(),
			Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "A paper boat"},
			State:   db.Queued, CreatedAt: db.Now()}
		handlerstest.Queue(t, h.Store, &task)
		return task
	}
	first, second, sent, third, fourth := queue(), queue(), queue(), queue(), queue()
	_, err := h.Store.Tasks.UpdateTask(t.Context(), sent.ID, func(task *db.Task) error {
		now := db.Now()
		return errors.Join(task.Begin(now), task.Accept(db.Report{RemoteID: "r1", Status: "pending"}, now, now))
	})
	must(t, err)
	page := func(task db.Task) string { return fmt.Sprintf("/tasks/%d", task.ID) }
	drop := func(task db.Task) string { return page(task) + "/drop" }

	ada.Get(page(first)).Is(200).Lacks(`[action="` + drop(first) + `"]`)
	ada.Post(drop(first), nil).Is(409) // it is sent by itself
	h.Connect(t, "https://video.example.com")
	for _, path := range []string{page(first), "/create/text-to-video?take=" + fmt.Sprint(first.ID)} {
		ada.Get(path).Is(200).Shows("The team has switched video services, so it isn’t sent.").Shows("Make it with the new service").
			Has(`[action="` + drop(first) + `"]`)
	}
	ada.Get("/gallery?status=all").Is(200).Shows("Waiting: the team has switched services")
	owner.Post(drop(first), nil).Is(404)
	ada.Get(page(sent)).Is(200).Hides("switched")
	ada.Post(drop(sent), nil).Is(409)

	ada.Post(drop(first), nil).Is(303)
	ada.Get(page(first)).Is(200).Shows("Not made. Nothing was charged.").Shows("The team switched video services. Nothing charged.")
	ada.Post(drop(first), nil).Is(409)
	to := ""
	for range 2 { // a second press leads to the same form
		to = ada.Post(drop(second), url.Values{"again": {"1"}}).Is(303).Header.Get("Location")
		if want := fmt.Sprintf("/create/text-to-video?from=%d&use=retry", second.ID); to != want {
			t.Errorf("it leads to %s, want %s", to, want)
		}
	}
	ada.Get(to).Is(200).Shows("A paper boat")

	ada.Get(page(third)).Is(200).Shows("Don’t make any of the 2 that wait")
	owner.Post(drop(third), url.Values{"all": {"1"}}).Is(404)
	ada.Post(drop(third), url.Values{"all": {"1"}}).Is(303)
	ada.Get(page(third)).Is(200).Shows("2 videos aren’t made. Nothing was charged for them.")
	ada.Post(drop(fourth), url.Values{"all": {"1"}}).Is(409)
	for _, task := range []db.Task{first, second, sent, third, fourth} {
		got, err := h.Store.Tasks.Task(t.Context(), task.ID)
		must(t, err)
		if want := task.ID != sent.ID; (got.State == db.Rejected) != want || got.Charged.Known || !want && got.State != db.Pending {
			t.Errorf("task %d is %s, charged %v", got.ID, got.State, got.Charged)
		}
	}
	if tasks, err := h.Store.Tasks.LatestTasks(t.Context(), 2, 10); err != nil || len(tasks) != 5 {
		t.Errorf("%d videos, %v: one was sent by itself", len(tasks), err)
	}
}

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

func TestLostVideoIsTriedOnceMoreByItsMaker(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	other := h.Joiner(t, p, "ada")
	task := h.AddTask(t, 1, db.Success)
	_, err := h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.Keeping, t.Message = db.Lost, "The link has expired."
		t.Results = []db.Result{{Kind: db.Video, URL: "https://cdn.example.com/v.mp4"}}
		return nil
	})
	must(t, err)
	page, again := fmt.Sprintf("/tasks/%d", task.ID), fmt.Sprintf("/tasks/%d/keep", task.ID)
	p.Get(page).Is(200).Shows("isn’t saved here").Shows("The link has expired.").Shows("https://cdn.example.com/v.mp4").Shows(again)
	other.Get(page).Is(200).Shows("isn’t saved here").Hides(again)
	other.Post(again, nil).Is(404)
	p.Post(again, nil).Is(303).LeadsTo(page)
	p.Get(page).Is(200).Shows("Saving…")
	p.Post(again, nil).Is(409)
}

func TestOnlyAdminsAreToldThatTheDiskIsFull(t *testing.T) {
	h := handlerstest.New(t)
	h.Restart(t, func(c *handlers.Config) {
		c.Space = func(context.Context) (schedule.Space, error) { return schedule.Space{Free: 5e8}, nil }
	})
	admin := h.Founder(t)
	member := h.Joiner(t, admin, "ada")
	for _, path := range []string{"/gallery", "/settings", "/create/text-to-video"} {
		admin.Get(path).Is(200).Shows("the disk has 500 MB left")
		member.Get(path).Is(200).Hides("the disk has")
	}
}
