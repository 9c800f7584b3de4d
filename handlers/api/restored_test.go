package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/backup"
	"dailies/handlers/handlerstest"
)

// restored returns the app with a backup of h from now, once meanwhile has changed h, and its
// owner.
func restored(t *testing.T, h *handlerstest.Server, meanwhile func()) (*handlerstest.Server, *handlerstest.Browser) {
	t.Helper()
	archive, dir := filepath.Join(t.TempDir(), "backup.zip"), filepath.Join(t.TempDir(), "restored")
	must(t, backup.Write(t.Context(), backup.Location{Dir: filepath.Dir(h.Database)}, archive, io.Discard))
	meanwhile()
	must(t, backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, io.Discard))
	back := handlerstest.NewAt(t, dir)
	back.Run(t)
	kim := back.Stranger(t)
	kim.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	return back, kim
}

// The backup has the token as it was before its end.
func TestATokenThatEndedAfterTheBackupPaysForNothing(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	film := h.KeptFilm(t, 1, "a harbour")
	var result struct{ Videos []struct{ URL string } }
	must(t, json.Unmarshal([]byte(data(t, c.call("query", query(film.ID)))["taskResult"].(string)), &result))
	address := strings.TrimPrefix(result.Videos[0].URL, h.URL)
	(&client{t, h, ""}).get(address).is(200)
	back, again := restored(t, h, func() { kim.Post("/settings/programs/1/end", nil).Is(303) })
	late := &client{t, back, c.token}
	late.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(401, "unauthorized")
	late.do("POST", "/api/v1/quotes", ordering("")).is(401, "unauthorized")
	refused(t, late.call("generate", generate), "no auth")
	refused(t, late.call("query", query(film.ID)), "no auth")
	(&client{t, back, ""}).get(address).is(404, "not_found")
	if n := len(back.Mine(t, 1)); n != 1 {
		t.Errorf("there are %d videos", n)
	}
	newClient(t, back, again, "change", 1000).do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
}

// In a recovery drill the receivers of webhooks are the real ones. They are told neither of
// what waited when the backup was made, nor of a video that was being sent then, whose answer
// the copy does not have, nor of what the copy makes.
func TestAWebhookOfABackupIsToldOnceAnAdminConfirmsIt(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	address, got := receiver(t, http.StatusServiceUnavailable)
	c := newClient(t, h, kim, "change", 1000)
	hook := c.do("POST", "/api/v1/webhooks", hooking(address, `"video.ready","video.unconfirmed","test"`, "")).is(201).value()
	path := fmt.Sprintf("/api/v1/webhooks/%v", hook["id"])
	t.Run("before the backup", func(t *testing.T) {
		h.Run(t)
		c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
		arrives(t, got, "video.ready") // and is sent again later
	})
	for len(got) > 0 {
		<-got
	}
	waited := c.get(path + "/deliveries").is(200).value()["deliveries"].([]any)
	if len(waited) != 1 || waited[0].(map[string]any)["state"] != "waiting" {
		t.Fatalf("%v waits", waited)
	}
	sent := h.AddTask(t, 1, db.Sending)
	back, again := restored(t, h, func() {})
	handlerstest.Eventually(t, "the video that was being sent is unconfirmed", func() bool {
		task, err := back.Store.Tasks.Task(t.Context(), sent.ID)
		must(t, err)
		return task.State == db.Unconfirmed
	})
	c = newClient(t, back, again, "change", 1000)
	elsewhere, told := receiver(t, 204)
	c.do("POST", "/api/v1/webhooks", hooking(elsewhere, `"video.ready"`, "")).is(201)
	finish := func(key string) (location string) {
		made := c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: "+key).is(202)
		arrives(t, told, "video.ready")
		return made.header.Get("Location")
	}
	finish("b")
	finish("c") // by now the first one would have arrived
	c.do("POST", path+"/test", "").is(422, "invalid")
	again.Post("/settings/webhooks/1/test", nil)
	if len(got) > 0 {
		t.Fatalf("%d messages are sent to the webhook before an admin has confirmed it", len(got))
	}
	for _, d := range c.get(path + "/deliveries").is(200).value()["deliveries"].([]any) {
		if d.(map[string]any)["message_id"] == waited[0].(map[string]any)["message_id"] {
			t.Error("what waited when the backup was made waits still")
		}
	}
	again.Post("/team/service", url.Values{"do": {"webhooks"}}).Is(303)
	c.do("POST", path+"/test", "").is(202)
	arrives(t, got, `"type":"test"`)
	made := finish("d")
	arrives(t, got, fmt.Sprintf(`"id":%s,`, made[strings.LastIndex(made, "/")+1:]))
}

// arrives waits until what is received contains the text.
func arrives(t *testing.T, got <-chan *http.Request, text string) {
	t.Helper()
	handlerstest.Eventually(t, text+" arrives", func() bool {
		select {
		case r := <-got:
			body, err := io.ReadAll(r.Body)
			must(t, err)
			return strings.Contains(string(body), text)
		default:
			return false
		}
	})
}
