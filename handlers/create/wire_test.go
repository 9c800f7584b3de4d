package create_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/handlers/handlerstest"
	"dailies/web/videoapi"
)

// An accepted says what a model accepts, written down from API.md and the providers'
// figures, independently of the catalogue.
type accepted struct {
	pictures    map[string][]int // the numbers of pictures, by scene
	urls        bool             // pictures are sent as image_url and end_image_url
	durations   []int            // empty: not sent
	resolutions []string
	ratios      []string // empty: the picture decides
	sound       bool     // the user can choose
	camera      string   // the field that fixes the camera
	seeds       []int64
	seedDefault any // sent if the user gives none
	safety      bool
}

var (
	fromFour  = []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	upTo720p  = []string{"480p", "720p"}
	upTo1080p = []string{"480p", "720p", "1080p"}
	from720p  = []string{"720p", "1080p"}
	sixShapes = []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9"}
	veoShapes = []string{"16:9", "9:16", "Auto"}
	veoSeeds  = []int64{0, 7, 2147483647}
	allSeeds  = []int64{-1, 0, 7, 2147483647}
)

var acceptedBy = map[string]accepted{
	"seedance-2.0": {
		pictures:  map[string][]int{"text-to-video": {0}, "image-to-video": {1}, "frames-to-video": {2}, "reference-to-video": {1, 2, 3}},
		durations: fromFour, resolutions: upTo1080p, ratios: sixShapes, sound: true,
	},
	"seedance-2.0-fast": {
		pictures:  map[string][]int{"text-to-video": {0}, "image-to-video": {1}, "frames-to-video": {2}, "reference-to-video": {1, 2, 3}},
		durations: fromFour, resolutions: upTo720p, ratios: sixShapes, sound: true,
	},
	"veo3": {
		pictures:    map[string][]int{"text-to-video": {0}, "image-to-video": {1}, "frames-to-video": {2}},
		resolutions: from720p, ratios: veoShapes, seeds: veoSeeds,
	},
	"veo3_fast": {
		pictures:    map[string][]int{"text-to-video": {0}, "image-to-video": {1}, "frames-to-video": {2}, "reference-to-video": {1, 2, 3}},
		resolutions: from720p, ratios: veoShapes, seeds: veoSeeds,
	},
	"bytedance/seedance-1.5-pro": {
		pictures:  map[string][]int{"text-to-video": {0}, "image-to-video": {1}, "frames-to-video": {2}},
		durations: []int{4, 8, 12}, resolutions: upTo1080p, ratios: sixShapes, sound: true, camera: "fixed_lens",
	},
	"bytedance/v1-pro-text-to-video": {
		pictures:  map[string][]int{"text-to-video": {0}},
		durations: []int{5, 10}, resolutions: upTo1080p, ratios: sixShapes,
		camera: "camera_fixed", seeds: allSeeds, seedDefault: -1, safety: true,
	},
	"bytedance/v1-lite-text-to-video": {
		pictures:  map[string][]int{"text-to-video": {0}},
		durations: []int{5, 10}, resolutions: upTo1080p, ratios: []string{"16:9", "9:16", "1:1", "4:3", "3:4", "9:21"},
		camera: "camera_fixed", seeds: allSeeds, seedDefault: -1, safety: true,
	},
	"bytedance/v1-pro-image-to-video": {
		pictures:  map[string][]int{"image-to-video": {1}},
		durations: []int{5, 10}, resolutions: upTo1080p,
		camera: "camera_fixed", seeds: allSeeds, seedDefault: -1, safety: true,
	},
	"bytedance/v1-lite-image-to-video": {
		pictures:  map[string][]int{"image-to-video": {1, 2}, "frames-to-video": {2}},
		durations: []int{5, 10}, resolutions: upTo1080p, urls: true,
		camera: "camera_fixed", seeds: allSeeds, seedDefault: -1, safety: true,
	},
}

// A submission is a form and the options that the create call has to carry for it.
type submission struct {
	form url.Values
	want map[string]any
}

// with returns a copy with the form's field set to text. Unless name is empty, the
// option of that name has to be value.
func (s submission) with(field, text, name string, value any) submission {
	c := submission{maps.Clone(s.form), maps.Clone(s.want)}
	c.form.Set(field, text)
	if name != "" {
		c.want[name] = value
	}
	return c
}

// submissions returns a form for every value of every option that the model has,
// with the other options as they are by default, and one in which everything that
// can be switched on is on.
func (a accepted) submissions(scene, model string, pictures []string) []submission {
	plain := submission{
		url.Values{"model": {model}, "prompt": {"a tram crosses the bridge"}},
		map[string]any{"mode": scene},
	}
	a.addPictures(&plain, scene, pictures)
	if len(a.durations) > 0 {
		plain = plain.with("duration", fmt.Sprint(a.durations[0]), "duration", a.durations[0])
	}
	plain = plain.with("resolution", a.resolutions[0], "resolution", a.resolutions[0])
	if len(a.ratios) > 0 {
		plain = plain.with("aspect_ratio", a.ratios[0], "aspect_ratio", a.ratios[0])
	}
	if a.seedDefault != nil {
		plain.want["seed"] = a.seedDefault
	}
	// A browser sends both values of a switch: a hidden "false" before the box.
	if a.sound {
		plain = plain.with("generate_audio", "false", "generate_audio", false)
		plain.want["has_audio"] = false
	}
	if a.camera != "" {
		plain = plain.with("camera_fixed", "false", a.camera, false)
	}
	if a.safety {
		plain = plain.with("enable_safety_checker", "true", "enable_safety_checker", true)
	}

	all, everything := []submission{plain}, plain
	for _, d := range a.durations {
		everything = plain.with("duration", fmt.Sprint(d), "duration", d)
		all = append(all, everything)
	}
	for _, r := range a.resolutions {
		all = append(all, plain.with("resolution", r, "resolution", r))
		everything = everything.with("resolution", r, "resolution", r)
	}
	for _, r := range a.ratios {
		s := plain.with("aspect_ratio", r, "aspect_ratio", r)
		if r == "Auto" { // "expressed by omitting the field or sending an empty string"
			delete(s.want, "aspect_ratio")
		} else {
			everything = everything.with("aspect_ratio", r, "aspect_ratio", r)
		}
		all = append(all, s)
	}
	for _, n := range a.seeds {
		all = append(all, plain.with("seed", fmt.Sprint(n), "seed", n))
		everything = everything.with("seed", fmt.Sprint(n), "seed", n)
	}
	if a.sound {
		s := plain.with("generate_audio", "true", "generate_audio", true)
		s.want["has_audio"] = true // "Should be kept equal to generate_audio"
		all = append(all, s)
		everything = everything.with("generate_audio", "true", "generate_audio", true)
		everything.want["has_audio"] = true
	}
	if a.camera != "" {
		all = append(all, plain.with("camera_fixed", "true", a.camera, true))
		everything = everything.with("camera_fixed", "true", a.camera, true)
	}
	if a.safety {
		all = append(all, plain.with("enable_safety_checker", "false", "enable_safety_checker", false))
		everything = everything.with("enable_safety_checker", "false", "enable_safety_checker", false)
	}
	return append(all, everything)
}

// addPictures adds the pictures to the form as its fields send them in the scene, and
// to the options as the model expects them.
func (a accepted) addPictures(s *submission, scene string, pictures []string) {
	if len(pictures) == 0 {
		return
	}
	s.form["image_input"] = pictures
	if scene == "image-to-video" && len(pictures) == 2 {
		s.form["image_input"] = pictures[:1]
		s.form.Set("end_image_url", pictures[1])
	}
	if !a.urls {
		s.want["image_input"] = pictures
		return
	}
	s.want["image_url"] = pictures[0] // "equal to the first image_input entry"
	if len(pictures) == 2 {
		s.want["end_image_url"] = pictures[1]
	}
}

// The body of the create call is all that the service sees of a video, and it is paid
// for whether or not something is missing from it. So this test submits the form for
// every model, in every scene, with every value of every option, and compares what
// arrives on the wire with API.md.
func TestTheServiceReceivesEveryOptionAndPicture(t *testing.T) {
	h := handlerstest.New(t)
	h.Watcher.Poll = time.Hour
	bodies := recordCreates(h)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	pictures := []string{host + "/first.png", host + "/second.png", host + "/third.png"}
	for _, m := range videoapi.DefaultCatalog().Models {
		a, known := acceptedBy[m.ID]
		if !known {
			t.Errorf("%s is not in this test's table", m.ID)
		}
		for _, scene := range m.Scenes {
			if len(a.pictures[string(scene)]) == 0 {
				t.Errorf("%s is not known to make %s", m.ID, scene)
			}
		}
	}
	for model, a := range acceptedBy {
		for scene, counts := range a.pictures {
			t.Run(strings.ReplaceAll(model, "/", " ")+" "+scene, func(t *testing.T) {
				for _, n := range counts {
					for i, s := range a.submissions(scene, model, pictures[:n]) {
						s.form.Set("token", fmt.Sprint(model, scene, n, "-", i))
						p.Post("/create/"+scene, s.form).Is(303)
						sameBody(t, <-bodies, map[string]any{
							"mediaType": "video", "scene": scene, "model": model, "prompt": "a tram crosses the bridge", "options": s.want,
						})
					}
				}
			})
		}
	}
}

// A program may use image_url instead of image_input, and name a provider.
func TestTheServiceReceivesTheFieldsOfPrograms(t *testing.T) {
	h := handlerstest.New(t)
	h.Watcher.Poll = time.Hour
	bodies := recordCreates(h)
	p := h.Founder(t)
	h.Run(t)
	host := handlerstest.Pictures(t)
	p.Post("/create/image-to-video", url.Values{
		"token": {"program"}, "model": {"bytedance/v1-lite-image-to-video"}, "prompt": {"a tram"}, "provider": {"kie"},
		"image_url": {host + "/first.png"}, "end_image_url": {host + "/second.png"},
	}).Is(303)
	sameBody(t, <-bodies, map[string]any{
		"provider": "kie", "mediaType": "video", "scene": "image-to-video", "model": "bytedance/v1-lite-image-to-video", "prompt": "a tram",
		"options": map[string]any{
			"mode": "image-to-video", "image_url": host + "/first.png", "end_image_url": host + "/second.png",
			"duration": 5, "resolution": "720p", "camera_fixed": false, "seed": -1, "enable_safety_checker": true,
		},
	})
}

// The team's provider is named by whatever names no other.
func TestTheServiceReceivesTheTeamsProvider(t *testing.T) {
	h := handlerstest.New(t)
	h.Watcher.Poll = time.Hour
	bodies := recordCreates(h)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	ada.Post("/team/provider", url.Values{"provider": {"ada's"}}).Is(404)
	p.Post("/team/provider", url.Values{"provider": {"käse"}}).Is(422).Has(`#provider-error`, `[name=provider][value="käse"]`)
	p.Post("/team/provider", url.Values{"provider": {"relay-2"}}).Is(303).LeadsTo("/team/spending#service")
	p.Get("/team/spending").Is(200).Has(`[name=provider][value="relay-2"]`)
	h.Run(t)
	for provider, want := range map[string]string{"": "relay-2", "kie": "kie"} {
		p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "provider", provider), "token", "token-"+want)).Is(303)
		var body struct{ Provider string }
		if err := json.Unmarshal(<-bodies, &body); err != nil || body.Provider != want {
			t.Errorf("%q: the service receives %q: %v", provider, body.Provider, err)
		}
	}
	p.Post("/team/provider", url.Values{"provider": {""}}).Is(303)
	p.Get("/team/spending").Is(200).Lacks(`[name=provider][value="relay-2"]`)
}

// recordCreates answers every create call with a new pending task and returns the
// bodies of the calls.
func recordCreates(h *handlerstest.Server) <-chan []byte {
	bodies := make(chan []byte, 1)
	var mu sync.Mutex
	made := 0
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/api/ai/generate" {
			return nil, nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		made++
		answer := fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":"wire-%d","status":"pending","costCredits":1}}`, made)
		mu.Unlock()
		bodies <- body
		return jsonAnswer(r, answer), nil
	})
	return bodies
}

func sameBody(t *testing.T, body []byte, want map[string]any) {
	t.Helper()
	var got videoapi.Request // known fields alone: an unknown one is an error
	strict := json.NewDecoder(strings.NewReader(string(body)))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&got); err != nil {
		t.Errorf("%s: %v", body, err)
	}
	var sent any
	must(t, json.Unmarshal(body, &sent))
	has, err := json.Marshal(sent)
	must(t, err)
	should, err := json.Marshal(want)
	must(t, err)
	if string(has) != string(should) {
		t.Errorf("the service received\n%s\nand should have received\n%s", has, should)
	}
}
