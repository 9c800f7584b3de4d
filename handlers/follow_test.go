package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// made lets the service make a video of which Dailies knows nothing, with the
// person's key, and returns its id there.
func (h *house) made(t *testing.T, key string) string {
	t.Helper()
	answer, err := videoapi.NewClient(base, &http.Client{Transport: h.box}).Create(t.Context(), key, videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo, Model: "seedance-2.0", Prompt: "a paper boat",
	})
	must(t, err)
	return answer.Record.ID
}

func TestUnconfirmedVideoIsFollowedByTheNumberThatItsMakerSees(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	kims, adas := h.keyOf(t, 1), h.keyOf(t, 2)
	id := h.made(t, kims)
	known := h.addTask(t, 1, db.Processing).RemoteID // "r1"
	lost := h.addTask(t, 1, db.Unconfirmed)
	page, follow := fmt.Sprintf("/tasks/%d", lost.ID), fmt.Sprintf("/tasks/%d/follow", lost.ID)
	kim.get(page).is(200).shows("I see it at the service: its number is", `action="`+follow+`"`)
	kim.get("/create/text-to-video").is(200).shows(fmt.Sprintf(`href="%s#follow-%d"`, page, lost.ID))
	for number, want := range map[string]string{
		"":                         "Please paste the number",
		"  ":                       "Please paste the number",
		strings.Repeat("9", 201):   "too long",
		"two words":                "one word",
		"two\nlines":               "one word",
		"nul\x00":                  "one word",
		"half a \xc3":              "one word",
		"https://example.com/01J9": "This is an address",
		known:                      "Another video here has this number",
		"nobody-knows-it":          "does not know a video with this number",
		h.made(t, adas):            "belongs to another key",
	} {
		said := kim.post(follow, url.Values{"service_id": {number}}).is(422).shows(want, `aria-invalid="true"`)
		if number == "nobody-knows-it" {
			said.shows(`value="nobody-knows-it"`)
		}
	}
	ada.post(follow, url.Values{"service_id": {id}}).is(404)
	h.wire.divert(func(r *http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
	kim.post(follow, url.Values{"service_id": {id}}).is(422).shows("could not be asked just now", id)
	h.wire.divert(nil)
	if task, _ := h.store.Task(t.Context(), lost.ID); task.State != db.Unconfirmed || task.RemoteID != "" {
		t.Fatalf("got %+v", task)
	}

	kim.post(follow, url.Values{"service_id": {" " + id + " "}}).is(303).leadsTo(page)
	kim.get(page).is(200).shows("followed to its end now")
	kim.post(follow, url.Values{"service_id": {id}}).is(409)
	twin := h.addTask(t, 1, db.Unconfirmed)
	kim.post(fmt.Sprintf("/tasks/%d/follow", twin.ID), url.Values{"service_id": {id}}).is(422).shows("Another video here has this number")
	// Its key is kept with it: what becomes of Kim's does not matter.
	must(t, h.store.DeleteKey(t.Context(), 1))
	h.work(t)
	eventually(t, "the video is kept", func() bool {
		task, err := h.store.Task(t.Context(), lost.ID)
		must(t, err)
		return task.Keeping == db.Kept && task.RemoteID == id
	})
}

// Of many who follow two tasks by one number at the same time, one wins.
func TestOneNumberIsFollowedOnce(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	id := h.made(t, h.keyOf(t, 1))
	answers := make(chan int)
	var tasks []db.Task
	for range 6 {
		tasks = append(tasks, h.addTask(t, 1, db.Unconfirmed))
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
		case <-time.After(20 * time.Second):
			t.Fatal("no answer")
		}
	}
	if got[303] != 1 || got[422] != len(tasks)-1 {
		t.Errorf("got %v", got)
	}
}

// keyOf gives the person a key of the sandbox with credits, and returns it.
func (h *house) keyOf(t *testing.T, userID int64) string {
	t.Helper()
	key, err := h.box.NewKey(t.Context(), fmt.Sprint("account ", userID), 1000)
	must(t, err)
	vault, err := db.NewVault([]byte("a secret of the tests"))
	must(t, err)
	must(t, h.store.PutKey(t.Context(), db.Key{UserID: userID, Sealed: vault.Seal(userID, key), Fingerprint: vault.Fingerprint(key), CreatedAt: db.Now()}))
	return key
}
