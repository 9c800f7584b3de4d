package video_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestUnconfirmedVideoIsFollowedByTheNumberThatItsMakerSees(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	kims, adas := h.KeyOf(t, 1), h.KeyOf(t, 2)
	id := h.Made(t, kims)
	known := h.AddTask(t, 1, db.Processing).RemoteID // "r1"
	lost := h.AddTask(t, 1, db.Unconfirmed)
	page, follow := fmt.Sprintf("/tasks/%d", lost.ID), fmt.Sprintf("/tasks/%d/follow", lost.ID)
	kim.Get(page).Is(200).Shows("Video ID from the service").Has(`[action="` + follow + `"]`)
	kim.Get("/create/text-to-video").Is(200).Has(fmt.Sprintf(`[href="%s#follow-%d"]`, page, lost.ID))
	for number, want := range map[string]string{
		"":                         "Paste the video ID",
		"  ":                       "Paste the video ID",
		strings.Repeat("9", 201):   "Too long for a video ID",
		"two words":                "That isn’t a video ID",
		"two\nlines":               "That isn’t a video ID",
		"nul\x00":                  "That isn’t a video ID",
		"half a \xc3":              "That isn’t a video ID",
		"https://example.com/01J9": "That’s a link",
		known:                      "Another video here has this ID",
		"nobody-knows-it":          "doesn’t know this ID",
		h.Made(t, adas):            "belongs to another key",
	} {
		said := kim.Post(follow, url.Values{"service_id": {number}}).Is(422).Shows(want).Has("[aria-invalid=true]")
		if number == "nobody-knows-it" {
			said.Has("[value=nobody-knows-it]")
		}
	}
	ada.Post(follow, url.Values{"service_id": {id}}).Is(404)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
	kim.Post(follow, url.Values{"service_id": {id}}).Is(422).Shows("couldn’t ask the video service", id)
	h.Wire.Divert(nil)
	if task, _ := h.Store.Tasks.Task(t.Context(), lost.ID); task.State != db.Unconfirmed || task.RemoteID != "" {
		t.Fatalf("got %+v", task)
	}

	kim.Post(follow, url.Values{"service_id": {" " + id + " "}}).Is(303).LeadsTo(page)
	kim.Get(page).Is(200).Shows("follow it from here")
	kim.Post(follow, url.Values{"service_id": {id}}).Is(409)
	twin := h.AddTask(t, 1, db.Unconfirmed)
	kim.Post(fmt.Sprintf("/tasks/%d/follow", twin.ID), url.Values{"service_id": {id}}).Is(422).Shows("Another video here has this ID")
	// The key that found the video is stored with it, so that it does not matter if Kim
	// deletes hers.
	must(t, h.Store.Keys.DeleteKey(t.Context(), 1))
	h.Run(t)
	handlerstest.Eventually(t, "the video is kept", func() bool {
		task, err := h.Store.Tasks.Task(t.Context(), lost.ID)
		must(t, err)
		return task.Keeping == db.Kept && task.RemoteID == id
	})
}

// Of simultaneous requests that give two tasks the same ID, one succeeds.
func TestOneNumberIsFollowedOnce(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	id := h.Made(t, h.KeyOf(t, 1))
	answers := make(chan int)
	var tasks []db.Task
	for range 6 {
		tasks = append(tasks, h.AddTask(t, 1, db.Unconfirmed))
	}
	for _, task := range tasks {
		go func() {
			r, err := http.NewRequest("POST", fmt.Sprintf("%s/tasks/%d/follow", h.URL, task.ID), strings.NewReader("service_id="+id))
			if err != nil {
				answers <- 0
				return
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			resp, err := kim.Do(r)
			if err != nil {
				answers <- 0
				return
			}
			resp.Body.Close()
			answers <- resp.StatusCode
		}()
	}
	got := map[int]int{}
	for range tasks {
		select {
		case status := <-answers:
			got[status]++
		case <-time.After(2 * time.Minute):
			t.Fatal("no answer")
		}
	}
	if got[303] != 1 || got[422] != len(tasks)-1 {
		t.Errorf("got %v", got)
	}
}
