package handlers_test

import (
	"context"
	"fmt"
	"testing"

	"dailies/db"
	"dailies/handlers"
)

func TestLostVideoIsTriedOnceMoreByItsMaker(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	other := h.joiner(t, p, "ada")
	task := h.addTask(t, 1, db.Success)
	_, err := h.store.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.Keeping, t.Message = db.Lost, "The link has expired."
		t.Results = []db.Result{{Kind: db.Video, URL: "https://cdn.example.com/v.mp4"}}
		return nil
	})
	must(t, err)
	page, again := fmt.Sprintf("/tasks/%d", task.ID), fmt.Sprintf("/tasks/%d/keep", task.ID)
	p.get(page).is(200).shows("not kept here").shows("The link has expired.").shows("https://cdn.example.com/v.mp4").shows(again)
	other.get(page).is(200).shows("not kept here").hides(again)
	other.post(again, nil).is(404)
	p.post(again, nil).is(303).leadsTo(page)
	p.get(page).is(200).shows("Saving… the link may expire")
	p.post(again, nil).is(409)
}

func TestOnlyAdminsAreToldThatTheDiskIsFull(t *testing.T) {
	h := newHouse(t)
	h.elsewhere(t, func(c *handlers.Config) {
		c.Space = func(context.Context) (db.Space, error) { return db.Space{Free: 5e8}, nil }
	})
	admin := h.founder(t)
	member := h.joiner(t, admin, "ada")
	for _, path := range []string{"/gallery", "/settings", "/create/text-to-video"} {
		admin.get(path).is(200).shows("the disk is nearly full, with 500 MB left")
		member.get(path).is(200).hides("the disk is nearly full")
	}
}
