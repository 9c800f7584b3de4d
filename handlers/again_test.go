package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
)

func TestTryingAgainTwiceMakesOneVideo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	old := h.addTask(t, 1, db.Failed)
	again := fmt.Sprintf("/tasks/%d/again", old.ID)
	p.get("/create/text-to-video").is(200).shows(`action="`+again+`"`, "Try again · 30 credits", "Your 30 credits came back", "Edit and try again")
	h.work(t)
	first := p.post(again, nil).is(303).Header.Get("Location")
	p.post(again, nil).is(303).leadsTo(first)
	if first == fmt.Sprintf("/tasks/%d", old.ID) {
		t.Fatal("it leads to the old one")
	}
	p.get(first).is(200).shows("a paper boat", "Receipt")
	if n := h.wire.count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
}

func TestTryingAgainKeepsTheRecipeAndCanLeaveOutTheSound(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.wire.divert(func(r *http.Request) (*http.Response, error) {
		return jsonAnswer(r, `{"code":0,"message":"ok","data":{"id":"r1","status":"failed","costCredits":30,"taskInfo":"{\"errorMessage\":\"PUBLIC_ERROR_AUDIO_FILTERED\"}"}}`), nil
	})
	h.work(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {"a loud boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"9:16"}, "generate_audio": {"true"}}
	p.post("/create/text-to-video", form).is(303)
	h.reaches(t, 1, db.Failed)
	page := p.get("/tasks/1").is(200).shows("A safety filter stopped its sound", "Without sound", `name="generate_audio" value="false"`, "What the service said")
	if strings.Count(page.body, "PUBLIC_ERROR_AUDIO_FILTERED") != 2 {
		t.Error("the service's own words are not folded away, once for each of its answers")
	}
	h.wire.divert(nil)
	silent := p.post("/tasks/1/again", url.Values{"generate_audio": {"false"}}).is(303).Header.Get("Location")
	p.post("/tasks/1/again", url.Values{"generate_audio": {"false"}}).is(303).leadsTo(silent)
	loud := p.post("/tasks/1/again", nil).is(303).Header.Get("Location")
	if silent == loud || silent == "/tasks/1" || loud == "/tasks/1" {
		t.Fatalf("silent at %s, with sound at %s", silent, loud)
	}
	for path, sound := range map[string]bool{silent: false, loud: true} {
		id, err := strconv.ParseInt(strings.TrimPrefix(path, "/tasks/"), 10, 64)
		must(t, err)
		task, err := h.store.Task(t.Context(), id)
		must(t, err)
		if task.Options.HasSound() != sound || task.Prompt != "a loud boat" || task.Options.AspectRatio != "9:16" || task.Options.Audio == nil {
			t.Errorf("video %d is made of %+v", id, task)
		}
	}
}

func TestARefusalInTheFormSaysWhatHelps(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {"a boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}}
	for answer, want := range map[string][]string{
		`{"code":-1,"message":"Insufficient credits, 2 < 6"}`:               {"There are not enough credits for it. Nothing was paid.", "Add credits in Settings"},
		`{"code":-1,"message":"no auth, please sign in"}`:                   {"does not accept the API key", "Check your key in Settings"},
		`{"code":-1,"message":"Your prompt was flagged: policy violation"}`: {"A safety filter stopped it"},
		`{"code":-1,"message":"the moon is full"}`:                          {"the moon is full. Nothing was paid."},
	} {
		h.wire.divert(func(r *http.Request) (*http.Response, error) { return jsonAnswer(r, answer), nil })
		p.post("/create/text-to-video", form).is(422).shows(append(want, "a boat")...)
	}
}

func jsonAnswer(r *http.Request, body string) *http.Response {
	w := httptest.NewRecorder()
	w.WriteString(body)
	answer := w.Result()
	answer.Request = r
	return answer
}
