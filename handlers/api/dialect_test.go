package api_test

import (
	"bytes"
	"encoding/json"
	"strings"

	"context"
	"dailies/db"
	"dailies/db/spending"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"dailies/handlers/handlerstest"
	"dailies/web/videoapi"
	"dailies/web/videoapi/documenttest"
	"dailies/web/videoapi/sandbox"
)

// payer gives the person a key of their own with the credits, and returns it.
func payer(t *testing.T, h *handlerstest.Server, p *handlerstest.Browser, credits float64) string {
	t.Helper()
	key, err := h.Sandbox.NewKey(t.Context(), "payer", credits)
	must(t, err)
	p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	return key
}

// Programs that were written for the service of API.md find all its sentences true here.
func TestTheDialectObeysTheDocument(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	key := payer(t, h, kim, 1e6)
	making, pause := context.WithCancel(t.Context())
	running, stop := context.WithCancel(t.Context())
	var work, films sync.WaitGroup
	h.Watch(running, &work)
	films.Go(func() { _ = h.Sandbox.Run(making) })
	t.Cleanup(func() { pause(); stop(); handlerstest.Ends(t, "the work", func() { work.Wait(); films.Wait() }) })
	pictures := handlerstest.Pictures(t)
	task := func(r videoapi.Record) (remote string, sound bool) {
		id, err := strconv.ParseInt(r.ID, 10, 64)
		must(t, err)
		found, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		return found.RemoteID, found.Options.HasSound()
	}
	documenttest.Run(t, &documenttest.Subject{
		Base: h.URL, Client: http.DefaultClient, Key: newClient(t, h, kim, "make", 1e6).token, Model: "seedance-2.0", Cost: 30,
		Wide: pictures + "/wide.png", Tall: pictures + "/tall.png",
		Balance: func() float64 {
			left, err := h.Sandbox.Balance(t.Context(), key)
			must(t, err)
			return left
		},
		Pause: func() { pause(); films.Wait() },
		Poor: func() string {
			ada := h.Joiner(t, kim, "Ada")
			payer(t, h, ada, 2)
			return newClient(t, h, ada, "make", 1e6).token
		},
		Refunded: func(r videoapi.Record) {
			remote, _ := task(r)
			lines, err := h.Sandbox.Ledger(t.Context(), key)
			must(t, err)
			if newest := lines[0]; newest.Kind != sandbox.Refunded || newest.TaskID != remote || newest.Credits != r.Cost {
				t.Errorf("the newest line is %+v, the video %q", newest, fmt.Sprint(remote))
			}
		},
		HasSound: func(r videoapi.Record) bool { _, sound := task(r); return sound },
	})
}

// call sends a call of the service's dialect, whose answer has the HTTP status 200.
func (c *client) call(name, body string, headers ...string) map[string]any {
	c.Helper()
	return c.do("POST", "/api/ai/"+name, body, headers...).is(200).value()
}

// refused fails the test unless the envelope says that something is wrong, in these words.
func refused(t testing.TB, envelope map[string]any, words string) {
	t.Helper()
	if message, _ := envelope["message"].(string); envelope["code"] != -1.0 || envelope["data"] != nil || !strings.Contains(message, words) {
		t.Errorf("got %v, want %q", envelope, words)
	}
}

// data returns the record of an envelope without an error.
func data(t testing.TB, envelope map[string]any) map[string]any {
	t.Helper()
	found, _ := envelope["data"].(map[string]any)
	if envelope["code"] != 0.0 || envelope["message"] != "ok" || found == nil {
		t.Fatalf("%v", envelope)
	}
	return found
}

func query(id int64) string { return fmt.Sprintf(`{"taskId":"%d"}`, id) }

// generate asks for a video of 30 credits.
const generate = `{"mediaType":"video","scene":"text-to-video","model":"seedance-2.0","prompt":"@anna at the harbour","options":{"duration":5,"resolution":"720p"}}`

// Each of our states is one of API.md. What a query says comes from the database.
func TestTheDialectKnowsOnlyTheStatesOfTheDocument(t *testing.T) {
	h := handlerstest.New(t)
	c := newClient(t, h, h.Founder(t), "look", 0)
	for state, want := range map[db.State]string{
		db.Queued: "pending", db.Sending: "pending", db.Pending: "pending", db.Processing: "processing", db.Unconfirmed: "processing",
		db.Failed: "failed", db.Rejected: "failed", db.Canceled: "canceled", db.Success: "success",
	} {
		film := h.Film(t, 1, func(*db.Task) {})
		h.Change(t, film.ID, func(t *db.Task) error { t.State, t.Status = state, want; return nil })
		got := data(t, c.call("query", query(film.ID)))
		if got["status"] != want {
			t.Errorf("%s is %v", state, got["status"])
		}
		var info, result struct{ Videos []any }
		must(t, json.Unmarshal([]byte(got["taskInfo"].(string)), &info))
		must(t, json.Unmarshal([]byte(got["taskResult"].(string)), &result))
		if ready := len(result.Videos) == 1 && len(info.Videos) == 1; ready != (want == "success") {
			t.Errorf("%s: %v", state, got)
		}
	}
	// The file of a finished video is still being copied.
	saving := h.Film(t, 1, func(*db.Task) {})
	h.Change(t, saving.ID, func(t *db.Task) error { t.Keeping, t.Media[0].LostAt = db.Saving, db.Now(); return nil })
	if got := data(t, c.call("query", query(saving.ID))); got["status"] != "processing" || strings.Contains(got["taskResult"].(string), "http") {
		t.Errorf("%v", got)
	}
	if n := h.Wire.Count("/api/ai/query"); n != 0 {
		t.Errorf("the service was asked %d times", n)
	}
}

func TestTheDialectSpendsOnlyWhatIsAllowed(t *testing.T) {
	h, kim := started(t)
	look, makes := newClient(t, h, kim, "look", 100), newClient(t, h, kim, "make", 70)
	refused(t, look.call("generate", generate), "no permission")
	refused(t, (&client{t, h, ""}).call("generate", generate), "no auth, please sign in")
	refused(t, (&client{t, h, "sk-0123"}).call("query", query(1)), "no auth, please sign in")
	for id := range 2 { // without a key, a repeat is another video
		got := data(t, makes.call("generate", generate))
		task, err := h.Store.Tasks.Task(t.Context(), int64(id+1))
		must(t, err)
		if got["costCredits"] != 30.0 || got["taskId"] != task.RemoteID || task.RemoteID == "" || got["status"] != "pending" {
			t.Errorf("%v, the service calls it %s", got, task.RemoteID)
		}
	}
	refused(t, makes.call("generate", generate), "insufficient credits")
	refused(t, makes.call("generate", strings.Replace(generate, "@anna", "#refuse", 1)), "insufficient credits")
	refused(t, newClient(t, h, kim, "make", 100).call("generate", strings.Replace(generate, "@anna", "#refuse", 1)), "asked to refuse")
	if got := len(h.Mine(t, 1)); got != 3 {
		t.Errorf("%d videos", got)
	}
	// The team's rule decides about prices that are not known.
	must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{ApproveUnpriced: true}))
	ada := h.Joiner(t, kim, "Ada")
	hers, unpriced := newClient(t, h, ada, "make", 100), strings.Replace(generate, "seedance-2.0", "veo3_fast", 1)
	unpriced = strings.Replace(unpriced, `"duration":5`, `"duration":8`, 1)
	refused(t, hers.call("generate", unpriced), "price isn’t known")
	must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{}))
	data(t, hers.call("generate", unpriced))
	kim.Send("POST", "/api/ai/query", nil).Is(200).Shows("no auth, please sign in") // a session does not open it
}

// The cast is a matter of the pages: a program that was written for the service means what
// it writes.
func TestAnAtSignIsTextInTheDialect(t *testing.T) {
	h, kim := started(t)
	handlerstest.AddMember(t, h, 1, "anna")
	id := data(t, newClient(t, h, kim, "make", 100).call("generate", generate))["id"]
	task, err := h.Store.Tasks.Task(t.Context(), 1)
	must(t, err)
	if id != "1" || task.SentPrompt != "" || task.Prompt != "@anna at the harbour" {
		t.Errorf("%+v", task)
	}
}

func TestAKeyIsOptionalInTheDialect(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 100)
	first := c.do("POST", "/api/ai/generate", generate, "Idempotency-Key: a").is(200)
	again := c.do("POST", "/api/ai/generate", generate, "Idempotency-Key: a").is(200)
	if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotent-Replayed") != "true" || len(h.Mine(t, 1)) != 1 {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	unanswer(t, h, time.Minute) // as if the process had died before it answered
	cut := c.do("POST", "/api/ai/generate", generate, "Idempotency-Key: a").is(200)
	if data(t, cut.value())["id"] != "1" || cut.header.Get("Idempotent-Replayed") != "true" || len(h.Mine(t, 1)) != 1 {
		t.Errorf("%s", cut.body)
	}
	refused(t, c.call("generate", strings.Replace(generate, "harbour", "sea", 1), "Idempotency-Key: a"), "used for something else")
	refused(t, c.call("generate", generate, "Idempotency-Key: "+strings.Repeat("a", 256)), "Idempotency-Key")
}

// The address of a file needs no token, and gives access to that file alone.
func TestASignedAddressOpensOneFile(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	c, stranger := newClient(t, h, kim, "change", 0), &client{t, h, ""}
	one := h.Film(t, 1, func(t *db.Task) { t.Prompt = "one" })
	two := h.Film(t, 1, func(t *db.Task) { t.Prompt = "two" })
	addresses := func(c *client, id int64) (paths []string) {
		t.Helper()
		var result struct{ Videos []struct{ URL string } }
		must(t, json.Unmarshal([]byte(data(t, c.call("query", query(id)))["taskResult"].(string)), &result))
		for _, v := range result.Videos {
			path, ours := strings.CutPrefix(v.URL, h.URL)
			if !ours || strings.Contains(path, "?") {
				t.Fatalf("the address is %s", v.URL)
			}
			paths = append(paths, path)
		}
		return paths
	}
	address := func(c *client, id int64) string { t.Helper(); return addresses(c, id)[0] }
	hash, size, err := h.Config.Media.Put(t.Context(), strings.NewReader("another"), 1<<20)
	must(t, err)
	h.Change(t, two.ID, func(t *db.Task) error {
		t.Media = append(t.Media, db.Media{Kind: db.Video, Position: 1, Hash: hash, Size: size, Type: "video/mp4", CreatedAt: db.Now()})
		return nil
	})
	if both := addresses(c, two.ID); len(both) != 2 || string(stranger.get(both[0]).is(200).body) != two.FormToken || string(stranger.get(both[1]).is(200).body) != "another" {
		t.Errorf("the addresses are %q", both)
	}
	path := address(c, one.ID)
	if got := stranger.get(path, "Range: bytes=1-3").is(206); string(got.body) != one.FormToken[1:4] || got.header.Get("Content-Type") != "video/webm" {
		t.Errorf("%s %v", got.body, got.header)
	}
	for _, other := range []string{
		strings.Replace(path, fmt.Sprintf("/%d.", one.ID), fmt.Sprintf("/%d.", two.ID), 1), strings.Replace(path, ".17", ".27", 1), path + "x.y", strings.TrimSuffix(path, ".webm"),
		"/api/ai/files/1.1.1.9999999999..webm", "/api/ai/files/x",
	} {
		if other != path {
			stranger.get(other).is(404, "not_found")
		}
	}
	// It ends with what it was for.
	ada := newClient(t, h, h.Joiner(t, kim, "Ada"), "look", 0)
	hers := address(ada, one.ID)
	stranger.get(hers).is(200)
	c.do("PATCH", fmt.Sprintf("/api/v1/videos/%d", one.ID), `{"private":true}`).is(200)
	stranger.get(hers).is(404, "not_found")
	refused(t, ada.call("query", query(one.ID)), "task not found")
	stranger.get(path).is(200)
	c.do("DELETE", fmt.Sprintf("/api/v1/videos/%d", one.ID), "").is(204)
	stranger.get(path).is(404, "not_found")
	path = address(c, two.ID)
	kim.Post("/settings/programs/1/end", nil).Is(303)
	stranger.get(path).is(404, "not_found")
}

// A signed address ends with whatever ends the token that got it, and opens nothing for a
// younger token or video that has been given the same number after a restore.
func TestASignedAddressEndsWithItsToken(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	lee := h.Joiner(t, kim, "Lee")
	ends := map[string]func(){
		"its end":            func() { _, err := h.Store.Programs.EndAll(t.Context(), 2, db.Now()); must(t, err) },
		"a sign-out":         func() { kim.Post("/members/2/sessions/end", nil).Is(303) },
		"lost groups":        func() { h.SQL(t, `UPDATE users SET refused_at = 1 WHERE id = 2`) },
		"a restore":          func() { _, err := h.Store.Accounts.CloseAccess(t.Context(), "a backup", db.Now()); must(t, err) },
		"a younger token":    func() { h.SQL(t, `UPDATE programs SET created_at = created_at + 2000`) },
		"a younger video":    func() { h.SQL(t, `UPDATE tasks SET created_at = created_at + 2000`) },
		"their deactivation": func() { kim.Post("/members/2/deactivate", nil).Is(303) },
	}
	for _, end := range []string{"its end", "a sign-out", "lost groups", "a younger token", "a younger video", "their deactivation", "a restore"} {
		owner := int64(2)
		if end == "a restore" {
			owner = 1
		}
		film := h.Film(t, owner, func(*db.Task) {})
		c := &client{t, h, handlerstest.AddToken(t, h, owner)}
		address := data(t, c.call("query", query(film.ID)))["taskResult"].(string)
		address = strings.TrimPrefix(address[strings.Index(address, h.URL):], h.URL)
		address = address[:strings.Index(address, `"`)]
		stranger := &client{t, h, ""}
		stranger.get(address).is(200)
		ends[end]()
		if got := stranger.get(address); got.status != 404 {
			t.Errorf("after %s it answers %d", end, got.status)
		}
		h.SQL(t, `UPDATE users SET refused_at = NULL`)
		lee.Get("/gallery")
	}
}

// Whatever is sent, the answer is an envelope with the status 200.
func TestTheDialectAnswersEverythingWithAnEnvelope(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for body, words := range map[string]string{
		"": "JSON", "[]": "JSON", "null": "JSON", "{": "JSON", generate + generate: "JSON", deep: "deep", "\xff": "UTF-8",
		strings.Replace(generate, `"prompt"`, `"scene":"text-to-video","prompt"`, 1):    "twice",
		strings.Replace(generate, `5`, `1e300`, 1):                                      "duration",
		strings.Replace(generate, `5`, `"5"`, 1):                                        "options.duration must be a number",
		strings.Replace(generate, `5`, `7.5`, 1):                                        "duration must be a whole number",
		strings.Replace(generate, `5`, `99`, 1):                                         "options.duration",
		strings.Replace(generate, `720p`, `9p`, 1):                                      "options.resolution",
		strings.Replace(generate, `"options":{`, `"options":[`, 1):                      "JSON",
		strings.Replace(generate, `@anna at the harbour`, strings.Repeat("a", 9000), 1): "prompt",
		`{"pad":"` + strings.Repeat("a", 10<<20) + `"}`:                                 "large",
	} {
		got := c.call("generate", body, "Content-Type: application/json")
		if message, _ := got["message"].(string); got["code"] != -1.0 || !strings.Contains(message, words) {
			t.Errorf("%.80s: %v", body, got)
		}
	}
	refused(t, c.call("generate", generate, "Content-Type: text/plain"), "application/json")
	for _, id := range []string{"0", "-1", "01", "1e0", "99999", "99999999999999999999", "dailies-key-check", " 1", "\\u0000"} {
		refused(t, c.call("query", `{"taskId":"`+id+`"}`), "task not found")
	}
	if n := len(h.Mine(t, 1)); n != 0 {
		t.Errorf("%d videos", n)
	}
	// Options that the model does not take are ignored, like fields that nobody knows.
	data(t, c.call("generate", `{"mediaType":"video","scene":"text-to-video","model":"veo3","prompt":"a","provider":null,"more":[1],"options":{"generate_audio":false,"camera_fixed":true,"seed":-1,"more":{}}}`))
	task, err := h.Store.Tasks.Task(t.Context(), 1)
	must(t, err)
	if task.Options.AspectRatio != "Auto" || task.Options.CameraFixed != nil {
		t.Errorf("%+v", task.Options)
	}
}
