package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/outbox"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// receiver starts a program that answers with the status, and returns its address and what
// it gets.
func receiver(t *testing.T, status int) (address string, got chan *http.Request) {
	t.Helper()
	got = make(chan *http.Request, 20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		got <- r
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/secret", got
}

func hooking(address, types string, more string) string {
	return fmt.Sprintf(`{"url":%q,"types":[%s]%s}`, address, types, more)
}

func TestAProgramManagesItsWebhooks(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 100)
	address, got := receiver(t, 204)
	hook := c.do("POST", "/api/v1/webhooks", hooking(address, `"video.ready","test"`, "")).is(201).value()
	if keys := slices.Sorted(maps.Keys(hook)); !slices.Equal(keys, []string{"id", "secret", "state", "types", "url"}) || hook["state"] != "on" || hook["url"] != address || fmt.Sprint(hook["types"]) != "[video.ready test]" {
		t.Errorf("%v", hook)
	}
	path := fmt.Sprintf("/api/v1/webhooks/%v", hook["id"])
	list := c.get("/api/v1/webhooks").is(200)
	if strings.Contains(string(list.body), "whsec_") || len(list.value()["webhooks"].([]any)) != 1 {
		t.Errorf("%s", list.body)
	}
	// A token that may only look does not learn what may be a secret.
	look := newClient(t, h, kim, "look", 0)
	if body := look.get("/api/v1/webhooks").is(200).body; strings.Contains(string(body), "/secret") {
		t.Errorf("%s", body)
	}
	test := c.do("POST", path+"/test", "").is(202).value()
	r := <-got
	body, err := io.ReadAll(r.Body)
	must(t, err)
	if test["type"] != "test" || test["message_id"] != r.Header.Get("webhook-id") || !strings.HasPrefix(string(body), `{"type":"test",`) {
		t.Errorf("%v: %s", test, body)
	}
	var deliveries []any
	handlerstest.Eventually(t, "the test has arrived", func() bool {
		deliveries = c.get(path + "/deliveries").is(200).value()["deliveries"].([]any)
		return deliveries[0].(map[string]any)["state"] == "delivered"
	})
	again := fmt.Sprintf("%s/deliveries/%v/again", path, test["id"])
	if sent := c.do("POST", again, "").is(202).value(); sent["message_id"] != test["message_id"] || (<-got).Header.Get("webhook-id") != test["message_id"] {
		t.Errorf("%v", sent)
	}
	renewed := c.do("POST", path+"/secret", "").is(200).value()
	if renewed["secret"] == hook["secret"] || !strings.HasPrefix(renewed["secret"].(string), "whsec_") {
		t.Errorf("%v", renewed)
	}
	c.do("POST", path+"/test", "").is(202)
	if signatures := strings.Fields((<-got).Header.Get("webhook-signature")); len(signatures) != 2 {
		t.Errorf("signed %q", signatures)
	}
	// A video is delivered as the API answers it.
	made := c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
	r = <-got
	body, err = io.ReadAll(r.Body)
	must(t, err)
	video := c.get(made.header.Get("Location")).is(200)
	if want := fmt.Sprintf(`{"type":"video.ready","timestamp":%q,"data":%s}`, video.value()["done_at"], video.body); string(body) != want {
		t.Errorf("delivered %s, want %s", body, want)
	}
	c.do("DELETE", path, "").is(204)
	c.do("DELETE", path, "").is(404, "not_found")
	c.get(path+"/deliveries").is(404, "not_found")
}

// The official libraries of Standard Webhooks accept what is delivered, with the secret that
// was shown, and nothing that was changed.
func TestTheOfficialLibrariesAcceptADelivery(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 100)
	address, got := receiver(t, 204)
	hook := c.do("POST", "/api/v1/webhooks", hooking(address, `"video.ready"`, "")).is(201).value()
	path, secret := fmt.Sprintf("/api/v1/webhooks/%v", hook["id"]), hook["secret"].(string)
	renewed := c.do("POST", path+"/secret", "").is(200).value()["secret"].(string)
	c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
	r := <-got
	body, err := io.ReadAll(r.Body)
	must(t, err)
	changed := strings.Replace(string(body), "success", "failed", 1)
	for key, accepts := range map[string]bool{secret: true, renewed: true, outbox.NewWebhookSecret(): false} {
		verifier, err := standardwebhooks.NewWebhook(key)
		must(t, err)
		if err := verifier.Verify(body, r.Header); (err == nil) != accepts {
			t.Errorf("Go: %v", err)
		}
		if verifier.Verify([]byte(changed), r.Header) == nil {
			t.Error("Go: a changed body is accepted")
		}
	}
	library := scopetest.Installed("DAILIES_STANDARDWEBHOOKS", "node_modules/standardwebhooks")
	if library == "" {
		scopetest.Missing(t, "standardwebhooks")
	}
	for key, accepts := range map[string]bool{secret: true, renewed: true, outbox.NewWebhookSecret(): false} {
		given, err := json.Marshal(map[string]any{"key": key, "body": string(body), "headers": map[string]string{
			"webhook-id": r.Header.Get("webhook-id"), "webhook-timestamp": r.Header.Get("webhook-timestamp"), "webhook-signature": r.Header.Get("webhook-signature"),
		}})
		must(t, err)
		node := exec.CommandContext(t.Context(), "node", "-e", `
			const { Webhook } = require(process.argv[1]), { key, body, headers } = JSON.parse(process.argv[2])
			console.log(new Webhook(key).verify(body, headers).type)`, library, string(given))
		out, err := node.CombinedOutput()
		if accepts != (err == nil && string(out) == "video.ready\n") {
			t.Errorf("JavaScript: %v, %s", err, out)
		}
	}
}

func TestBadWebhooksGetProblems(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 0)
	for body, field := range map[string]string{
		hooking("", `"test"`, ""):                                "url",
		hooking("ftp://example.com/", `"test"`, ""):              "url",
		hooking("https://example.com/", ``, ""):                  "types",
		hooking("https://example.com/", `"video.gone"`, ""):      "types",
		hooking("https://example.com/", `"test","test"`, ""):     "types",
		`{"url":"https://example.com/"}`:                         "types",
		`{"url":7,"types":["test"]}`:                             "url",
		hooking("https://example.com/", `"test"`, `,"team":"x"`): "team",
	} {
		if got := c.do("POST", "/api/v1/webhooks", body).is(422, "invalid"); got.value()["field"] != field {
			t.Errorf("%s: %s", body, got.body)
		}
	}
	c.do("POST", "/api/v1/webhooks", hooking("https://example.com/", `"test"`, `,"state":"on"`)).is(422, "unknown_field")
	for range outbox.MaxWebhooks {
		c.do("POST", "/api/v1/webhooks", hooking("https://example.com/", `"test"`, "")).is(201)
	}
	c.do("POST", "/api/v1/webhooks", hooking("https://example.com/", `"test"`, "")).is(422, "invalid")
	// The team's are for admins, and nobody has another's.
	team := c.do("POST", "/api/v1/webhooks", hooking("https://example.com/", `"test"`, `,"team":true`)).is(201).value()
	if team["team"] != true || len(c.get("/api/v1/webhooks").value()["webhooks"].([]any)) != 6 {
		t.Errorf("%v", team)
	}
	ada := newClient(t, h, h.Joiner(t, kim, "Ada"), "change", 0)
	ada.do("POST", "/api/v1/webhooks", hooking("https://example.com/", `"test"`, `,"team":true`)).is(403, "forbidden")
	for _, id := range []any{1, team["id"], 999, "x"} {
		path := fmt.Sprintf("/api/v1/webhooks/%v", id)
		for route, method := range map[string]string{"": "DELETE", "/secret": "POST", "/test": "POST", "/deliveries": "GET", "/deliveries/1/again": "POST"} {
			ada.do(method, path+route, "").is(404, "not_found")
		}
	}
	if got := ada.get("/api/v1/webhooks").is(200).value()["webhooks"].([]any); len(got) != 0 {
		t.Errorf("%v", got)
	}
	kim.Post("/members/2/role", url.Values{"role": {"admin"}}).Is(303)
	ada.do("DELETE", fmt.Sprintf("/api/v1/webhooks/%v", team["id"]), "").is(204)
}

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
