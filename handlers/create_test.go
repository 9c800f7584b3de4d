package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/web/videoapi"
)

// good is a form that the sandbox takes.
func good() url.Values {
	return url.Values{
		"token": {db.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"},
	}
}

func with(v url.Values, name string, values ...string) url.Values {
	v[name] = values
	return v
}

func TestFormSurvivesBadInput(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	pic, long := "https://example.com/a.png", strings.Repeat("x", 10_000)
	for name, tt := range map[string]struct {
		scene string
		form  url.Values
		want  string
	}{
		"no prompt":              {"text-to-video", with(good(), "prompt", "  "), "Please say what should happen"},
		"prompt too long":        {"text-to-video", with(good(), "prompt", strings.Repeat("é", 100_000)), "at most 2000 characters"},
		"unknown model":          {"text-to-video", with(good(), "model", "sora"), "cannot be chosen here"},
		"no model":               {"text-to-video", with(good(), "model"), "cannot be chosen here"},
		"model of another scene": {"reference-to-video", with(with(good(), "model", "veo3"), "image_input", pic), "cannot be chosen here"},
		"picture in text":        {"text-to-video", with(good(), "image_input", pic), "takes no pictures"},
		"no picture":             {"image-to-video", good(), "Please give the link of a picture"},
		"two pictures":           {"image-to-video", with(good(), "image_input", pic, pic), "at most 1 picture"},
		"one frame":              {"frames-to-video", with(good(), "image_input", pic, ""), "that the video ends with"},
		"only the end":           {"frames-to-video", with(good(), "image_input", "", pic), "that the video starts with"},
		"three frames":           {"frames-to-video", with(good(), "image_input", pic, pic, pic), "at most 2 pictures"},
		"four references":        {"reference-to-video", with(good(), "image_input", pic, pic, pic, pic), "at most 3 pictures"},
		"ftp":                    {"image-to-video", with(good(), "image_input", "ftp://example.com/a.png"), "not a web address"},
		"script":                 {"image-to-video", with(good(), "image_input", "javascript:alert(1)"), "not a web address"},
		"no address":             {"image-to-video", with(good(), "image_input", "my holiday picture"), "not a web address"},
		"long link":              {"image-to-video", with(good(), "image_input", "https://example.com/"+long), "too long"},
		"seed is no number":      {"text-to-video", with(with(with(good(), "model", "veo3"), "seed", "lucky"), "duration", "8"), "whole number"},
		"seed for no seed":       {"text-to-video", with(good(), "seed", "1"), "takes no seed"},
		"length":                 {"text-to-video", with(with(good(), "model", "bytedance/v1-pro-text-to-video"), "duration", "7"), "5 or 10"},
		"length is no number":    {"text-to-video", with(good(), "duration", "5; DROP TABLE"), "can make"},
		"forged resolution":      {"text-to-video", with(with(good(), "model", "seedance-2.0-fast"), "resolution", "1080p"), "480p or 720p"},
		"forged shape":           {"text-to-video", with(good(), "aspect_ratio", "2:1"), "can make"},
		"forged switch":          {"text-to-video", with(good(), "camera_fixed", "true"), "cannot keep the camera still"},
		"switch with junk":       {"text-to-video", with(good(), "generate_audio", "maybe"), "on or off"},
		"provider with junk":     {"text-to-video", with(good(), "provider", "käse"), "plain letters"},
		"junk bytes":             {"text-to-video", with(good(), "model", "\xff\xfe\x00"), "cannot be chosen here"},
	} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.t = t
			a := p.post("/create/"+tt.scene, tt.form).is(422).shows(tt.want)
			if prompt := strings.TrimSpace(tt.form.Get("prompt")); prompt != "" {
				a.shows(prompt)
			}
			for _, link := range tt.form["image_input"] {
				a.shows(`value="` + link + `"`)
			}
		})
	}
	if n := h.wire.count("/api/ai/generate"); n != 0 {
		t.Errorf("%d calls reached the service", n)
	}
	p.post("/create/sideways", good()).is(404)
	p.get("/create/sideways").is(404)
	p.post("/create/text-to-video", with(good(), "prompt", strings.Repeat("x", 2<<20))).is(413)
	p.get("/create/text-to-video?model=%ff&seed=%00&image_input=x&image_input=y&duration=-1").is(200)
}

func TestFourScenesBecomeVideos(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	pic := pictures(t)
	for scene, form := range map[string]url.Values{
		"text-to-video":      good(),
		"image-to-video":     with(good(), "image_input", pic),
		"frames-to-video":    with(good(), "image_input", pic, pic),
		"reference-to-video": with(good(), "image_input", pic, "", pic),
	} {
		a := p.post("/create/"+scene, form).is(303)
		id := made(t, a)
		task := h.reaches(t, id, db.Success)
		if string(task.Scene) != scene || !task.Charged.Known {
			t.Errorf("%s: scene %q, charged %v", scene, task.Scene, task.Charged)
		}
		eventually(t, scene+" is kept", func() bool {
			task, _ = h.store.Task(t.Context(), id)
			return task.Keeping == db.Kept
		})
		video, ok := task.Video()
		if !ok || video.Type != "video/webm" {
			t.Fatalf("%s: kept %+v", scene, task.Media)
		}
		path := fmt.Sprintf("/media/%d", video.ID)
		p.get(path).is(200)
		part := p.get(path, "Range", "bytes=0-99").is(206)
		if len(part.body) != 100 || part.Header.Get("Content-Type") != "video/webm" {
			t.Errorf("%s: %d bytes of %s", scene, len(part.body), part.Header.Get("Content-Type"))
		}
		h.stranger(t).get(path).is(303)
		p.get(fmt.Sprintf("/tasks/%d", id)).is(200).shows(path)
		p.get("/gallery").is(200).shows(fmt.Sprintf("/tasks/%d", id))
	}
}

func TestSecondPressFindsTheFirstVideo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	form := good()
	done := make(chan int64, 5)
	for range cap(done) {
		go func() { done <- made(t, p.post("/create/text-to-video", form)) }()
	}
	first := <-done
	for range cap(done) - 1 {
		if again := <-done; again != first {
			t.Errorf("another press made video %d beside %d", again, first)
		}
	}
	if n := h.wire.count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
	changed := with(good(), "token", form.Get("token"))
	changed.Set("prompt", "something else after going back")
	if id := made(t, p.post("/create/text-to-video", changed)); id == first {
		t.Error("a changed form after going back was taken for the first one")
	}
}

func TestRefusalAppearsInTheForm(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	p.post("/create/text-to-video", with(good(), "prompt", "a boat #refuse")).is(422).shows("a boat #refuse", "Nothing was paid")
	p.post("/settings/key", url.Values{"key": {"sk-wrong"}}).is(303)
	p.post("/create/text-to-video", with(good(), "prompt", "a boat")).is(422).shows("does not accept the API key", "a boat")
	p.get("/tasks/latest").is(200).hides("a boat")
}

func TestWithoutAKeyNothingIsSentAndNothingIsLost(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	p.post("/settings/key/delete", nil).is(303)
	p.post("/create/text-to-video", with(good(), "prompt", "the words that I typed")).is(422).shows("/settings", "the words that I typed")
	if n := h.wire.count("/api/ai/generate"); n != 0 {
		t.Errorf("%d create calls", n)
	}
	p.post("/settings/sandbox/key", nil).is(303)
	p.get("/").is(303).leadsTo("/create/text-to-video")
	p.get("/create/text-to-video").is(200).shows("the words that I typed")
}

func TestFailureGivesTheCreditsBack(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	id := made(t, p.post("/create/text-to-video", with(good(), "prompt", "a boat #fail")))
	task := h.reaches(t, id, db.Failed)
	if !task.Returned.Known || task.Returned != task.Charged || task.ReturnedAt.IsZero() {
		t.Errorf("charged %v, returned %v", task.Charged, task.Returned)
	}
	p.get(fmt.Sprintf("/tasks/%d", id)).is(200).shows("was asked to fail", "back")
	p.get("/settings").is(200).shows("1,000")
}

func TestLostAnswerIsNeverSentAgainByItself(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	h.wire.divert(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/api/ai/generate" {
			return nil, nil
		}
		return nil, fmt.Errorf("connection reset by peer")
	})
	id := made(t, p.post("/create/text-to-video", good()))
	h.reaches(t, id, db.Unconfirmed)
	p.get("/tasks/latest").is(200).shows("Send it again", "Leave it")
	if n := h.wire.count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
	h.wire.divert(nil)
	again := p.post(fmt.Sprintf("/tasks/%d/resend", id), nil).is(303)
	var second int64
	if _, err := fmt.Sscanf(again.Header.Get("Location"), "/tasks/%d", &second); err != nil || second == id {
		t.Fatalf("leads to %q", again.Header.Get("Location"))
	}
	h.reaches(t, second, db.Success)
	p.get("/tasks/latest").is(200).hides("Send it again")
}

func TestOptionsFollowTheModel(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.get("/create/text-to-video/options?model=bytedance/v1-pro-text-to-video&duration=7").is(200).
		shows("Length is now 5 s", `name="camera_fixed"`, `name="enable_safety_checker"`, `name="seed"`).hides(`name="generate_audio"`)
	p.get("/create/text-to-video/options?model=veo3&camera_fixed=true").is(200).shows("Auto", "cannot keep the camera still").hides(`name="camera_fixed"`)
	p.get("/create/image-to-video/options?model=bytedance/v1-pro-image-to-video").is(200).hides(`name="aspect_ratio"`)
	p.get("/create/text-to-video/options?model=nonsense").is(200).shows("is not for this scene")
}

func TestPriceStandsBeforeTheButton(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.get("/create/text-to-video?model=seedance-2.0&resolution=720p&duration=5").is(200).shows("30 credits")
	p.get("/create/text-to-video?model=veo3").is(200).hides("30 credits")
}

func TestEveryModelTakesItsOwnForm(t *testing.T) {
	alone(t)
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	pic := pictures(t)
	for _, m := range videoapi.DefaultCatalog().Models {
		for _, s := range m.Scenes {
			form := url.Values{"model": {m.ID}, "prompt": {"a boat #refuse"}}
			for range m.ImagesFor(s).Min {
				form.Add("image_input", pic)
			}
			p.post("/create/"+string(s), form).is(422).shows("Nothing was paid") // it came as far as the service
		}
	}
}

// made is the id of the video that the answer to the form leads to.
func made(t *testing.T, a *answer) int64 {
	t.Helper()
	to, err := url.Parse(a.Header.Get("Location"))
	var id int64
	if err == nil {
		_, err = fmt.Sscan(to.Query().Get("from"), &id)
	}
	if err != nil || a.StatusCode != 303 {
		t.Errorf("%s: %d leads to %q\n%.2000s", a.what, a.StatusCode, to, a.body)
	}
	return id
}
