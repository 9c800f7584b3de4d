package library_test

import (
	"context"
	"fmt"
	"testing"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

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
