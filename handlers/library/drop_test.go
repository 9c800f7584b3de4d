package library_test

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// A video that was queued before the team changed the service is not sent to the new one:
// its maker decides, and nobody else.
func TestQueuedVideosOfAnotherServiceAskTheirMakers(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	ada := h.Joiner(t, owner, "ada")
	queue := func() db.Task {
		task := db.Task{UserID: 2, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "veo3", Prompt: "A paper boat", State: db.Queued, CreatedAt: db.Now()}
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
		ada.Get(path).Is(200).Shows("The team has switched video services, so it isn’t sent.").Shows("Make it with the new service").Has(`[action="` + drop(first) + `"]`)
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
