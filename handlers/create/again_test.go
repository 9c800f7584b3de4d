package create_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func TestTryingAgainTwiceMakesOneVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	old := h.AddTask(t, 1, db.Failed)
	again := fmt.Sprintf("/tasks/%d/again", old.ID)
	p.Get("/create/text-to-video").Is(200).Shows("Try again · 30 credits", "30 credits came back", "Edit").Has(`[action="` + again + `"]`)
	h.Run(t)
	first := p.Post(again, nil).Is(303).Header.Get("Location")
	p.Post(again, nil).Is(303).LeadsTo(first)
	if first == fmt.Sprintf("/tasks/%d", old.ID) {
		t.Fatal("it leads to the old one")
	}
	p.Get(first).Is(200).Shows("a paper boat", "Receipt")
	if n := h.Wire.Count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
}

func TestTryingAgainKeepsTheRecipeAndCanLeaveOutTheSound(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		return jsonAnswer(r, `{"code":0,"message":"ok","data":{"id":"r1","status":"failed","costCredits":30,"taskInfo":"{\"errorMessage\":\"PUBLIC_ERROR_AUDIO_FILTERED\"}"}}`), nil
	})
	h.Run(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {"a loud boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"9:16"}, "generate_audio": {"true"}}
	p.Post("/create/text-to-video", form).Is(303)
	h.Reaches(t, 1, db.Failed)
	page := p.Get("/tasks/1").Is(200).Shows("A safety filter stopped its sound", "Without sound", "Details for support").Has("[name=generate_audio][value=false]")
	if strings.Contains(page.Text, "PUBLIC_ERROR_AUDIO_FILTERED") {
		t.Error("the service's own words are on the page")
	}
	if with := p.Get(htmltest.Attr(htmltest.First(t, page.Root(), "#answers [data-answers]"), "href")).Is(200); strings.Count(with.Text, "PUBLIC_ERROR_AUDIO_FILTERED") != 2 {
		t.Error("the service's own words are not folded away, once for each of its answers")
	}
	h.Wire.Divert(nil)
	silent := p.Post("/tasks/1/again", url.Values{"generate_audio": {"false"}}).Is(303).Header.Get("Location")
	p.Post("/tasks/1/again", url.Values{"generate_audio": {"false"}}).Is(303).LeadsTo(silent)
	loud := p.Post("/tasks/1/again", nil).Is(303).Header.Get("Location")
	if silent == loud || silent == "/tasks/1" || loud == "/tasks/1" {
		t.Fatalf("silent at %s, with sound at %s", silent, loud)
	}
	for path, sound := range map[string]bool{silent: false, loud: true} {
		id, err := strconv.ParseInt(strings.TrimPrefix(path, "/tasks/"), 10, 64)
		must(t, err)
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if task.Options.HasSound() != sound || task.Prompt != "a loud boat" || task.Options.AspectRatio != "9:16" || task.Options.Audio == nil {
			t.Errorf("video %d is made of %+v", id, task)
		}
	}
}

func TestARefusalInTheFormSaysWhatHelps(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := url.Values{"model": {"seedance-2.0"}, "prompt": {"a boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}}
	for answer, want := range map[string][]string{
		`{"code":-1,"message":"Insufficient credits, 2 < 6"}`:               {"Not enough credits. Nothing charged.", "Add credits in Settings"},
		`{"code":-1,"message":"no auth, please sign in"}`:                   {"refuses the key", "Check your key in Settings"},
		`{"code":-1,"message":"Your prompt was flagged: policy violation"}`: {"A safety filter stopped it"},
		`{"code":-1,"message":"the moon is full"}`:                          {"the moon is full. Nothing charged."},
	} {
		h.Wire.Divert(func(r *http.Request) (*http.Response, error) { return jsonAnswer(r, answer), nil })
		p.Post("/create/text-to-video", form).Is(422).Shows(append(want, "a boat")...)
	}
}

func jsonAnswer(r *http.Request, body string) *http.Response {
	w := httptest.NewRecorder()
	w.WriteString(body)
	answer := w.Result()
	answer.Request = r
	return answer
}
