package sandbox_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// A sentence is a sentence of API.md with a check that the sandbox obeys it.
// These tests check more:
//
//	the envelope, the record     TestCreateAnswersAtOnceWithAPendingRecord, TestAFinishedTaskNamesItsVideoInJSONText
//	requests and options         TestGoodRequestsAreAccepted, TestBadRequestsAreRefusedAndCostNothing
//	pictures and shapes          TestEverySceneMakesAVideo, TestShapesOfVideos, TestAnUnusablePictureFailsTheTask
//	states                       TestASlowTaskIsPendingThenProcessingThenSuccess, TestOnlyAQueryMovesATask
//	credits                      TestPrices, TestCreditsAreDeductedOnceUnderFiftyCreates,
//	                             TestAFailedTaskIsRefundedOnceUnderFiftyQueries
//	keys and sessions            TestEveryCallNeedsAKey, TestSessionCallsComeFromTheServicesOwnSite,
//	                             TestConsoleMakesShowsAndRevokesKeys
//	malformed requests           TestMalformedRequestsGetAClearAnswer
type sentence struct {
	said string
	held func(t *testing.T, w *world)
}

func TestTheDocument(t *testing.T) {
	w := start(t, 1e6)
	check := func(sentences ...[]sentence) {
		for _, s := range slices.Concat(sentences...) {
			t.Run(s.said, func(t *testing.T) {
				one := *w
				one.t = t
				s.held(t, &one)
			})
		}
	}
	check(serviceSentences(), fieldSentences(), callSentences())
	w.pause() // tasks that are accepted from here on are not rendered
	check(optionSentences(), limitSentences())
}

// is compares the raw JSON of a field of the record with want.
func (a wire) is(t *testing.T, name, want string) {
	t.Helper()
	if got := string(a.Data[name]); got != want {
		t.Errorf("%s is %s, want %s", name, got, want)
	}
}

// accepts checks that a create call with the options is accepted.
func accepts(scene videoapi.Scene, model, options string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		if a := w.post(generate, body(scene, model, options)); *a.Code != 0 {
			t.Errorf("refused: %s", a.Message)
		}
	}
}

func serviceSentences() []sentence {
	return []sentence{
		{"The call returns at once with a task record that carries a task identifier.", func(t *testing.T, w *world) {
			if w.create(tiny("A quiet sea")).ID == "" {
				t.Error("no identifier")
			}
		}},
		{"The caller polls with that identifier to read progress and the final result.", func(t *testing.T, w *world) {
			if r := w.end(w.create(tiny("A quiet sea")).ID); r.Progress != 1 || len(r.Results().Videos) != 1 {
				t.Errorf("got %+v", r)
			}
		}},
		{"Creating a task checks and deducts credits.", func(t *testing.T, w *world) {
			before := w.balance()
			if r := w.create(tiny("A quiet sea")); before-w.balance() != r.Cost || r.Cost != 6 {
				t.Errorf("cost %v, paid %v", r.Cost, before-w.balance())
			}
		}},
		{"A task that ends as failed gets its credits back automatically.", func(t *testing.T, w *world) {
			before := w.balance()
			if r := w.end(w.create(tiny("#fail")).ID); r.Status != videoapi.Failed || w.balance() != before {
				t.Errorf("%s, balance %v, was %v", r.Status, w.balance(), before)
			}
		}},
		{"A task that ends as failed is refunded in full.", func(t *testing.T, w *world) {
			r := w.end(w.create(tiny("#fail")).ID)
			newest := w.ledger()[0]
			if newest.Kind != sandbox.Refunded || newest.TaskID != r.ID || newest.Credits != r.Cost {
				t.Errorf("the newest line is %+v", newest)
			}
		}},
	}
}

func fieldSentences() []sentence {
	return []sentence{
		{"code: 0 on success, -1 on failure. message: ok on success; a short error text on failure. data: present on success", func(t *testing.T, w *world) {
			if a := w.post(generate, body("", "", "")); *a.Code != 0 || a.Message != "ok" || a.Data == nil {
				t.Errorf("got %+v", a)
			}
			w.refused(w.post(generate, body("", "nothing", "")), "no model")
		}},
		{"id, mediaType, scene, model, status, taskId, costCredits", func(t *testing.T, w *world) {
			a := w.post(generate, body("", "", ""))
			for name, want := range map[string]string{"mediaType": `"video"`, "scene": `"text-to-video"`, "model": `"tiny"`, "status": `"pending"`, "costCredits": `6`} {
				a.is(t, name, want)
			}
			if a.text(t, "id") == "" || a.text(t, "taskId") == "" || a.text(t, "id") == a.text(t, "taskId") {
				t.Errorf("id %s, taskId %s", a.Data["id"], a.Data["taskId"])
			}
		}},
		{"taskId: It is not the value used for querying.", func(t *testing.T, w *world) {
			w.refused(w.post(query, `{"taskId":"`+w.create(tiny("A quiet sea")).TaskID+`"}`), "task not found")
		}},
		{"taskInfo, taskResult: JSON text. The caller must parse it itself. Returned by the query endpoint.", func(t *testing.T, w *world) {
			made := w.post(generate, body("", "", ""))
			id := made.text(t, "id")
			w.end(id)
			asked := w.post(query, `{"taskId":"`+id+`"}`)
			for _, name := range []string{"taskInfo", "taskResult"} {
				if made.text(t, name) != "" || !json.Valid([]byte(asked.text(t, name))) {
					t.Errorf("%s: first %s, then %s", name, made.Data[name], asked.Data[name])
				}
			}
		}},
		{"mediaType: Fixed value video", func(t *testing.T, w *world) {
			w.refused(w.post(generate, strings.Replace(body("", "", ""), `"video"`, `"image"`, 1)), "mediaType")
		}},
	}
}

func optionSentences() []sentence {
	lite := "bytedance/v1-lite-image-to-video"
	return []sentence{
		{"prompt: It may be empty in some modes", accepts(videoapi.ImageToVideo, "", `{"image_input":["`+wide+`"]}`)},
		{"Model IDs", func(t *testing.T, w *world) {
			picture := `{"image_input":["` + wide + `"]}`
			for _, m := range []string{"seedance-2.0", "seedance-2.0-fast", "veo3", "veo3_fast", "bytedance/seedance-1.5-pro", "bytedance/v1-pro-text-to-video", "bytedance/v1-lite-text-to-video"} {
				accepts("", m, `{"camera_fixed":false}`)(t, w)
			}
			for _, m := range []string{"bytedance/v1-pro-image-to-video", "bytedance/v1-lite-image-to-video"} {
				accepts(videoapi.ImageToVideo, m, picture)(t, w)
			}
		}},
		{"scene: One of text-to-video, image-to-video, frames-to-video, reference-to-video", func(t *testing.T, w *world) {
			pictures := map[videoapi.Scene]string{
				videoapi.TextToVideo: ``, videoapi.ImageToVideo: `"` + wide + `"`,
				videoapi.FramesToVideo: `"` + wide + `","` + tall + `"`, videoapi.ReferenceToVideo: `"` + wide + `"`,
			}
			for _, scene := range videoapi.Scenes() {
				accepts(scene, "", `{"image_input":[`+pictures[scene]+`]}`)(t, w)
			}
			w.refused(w.post(generate, body("video-to-video", "", "")), "invalid scene")
		}},
		{"Example requests leave out provider.", accepts("", "", "")},
		{"mode: Same value as scene. Recommended.", func(t *testing.T, w *world) {
			accepts("", "", `{"mode":"text-to-video"}`)(t, w)
			w.refused(w.post(generate, body("", "", `{"mode":"image-to-video"}`)), "options.mode must be the same as scene")
		}},
		{"duration: Length in seconds (for example 5, 10 or 15)", func(t *testing.T, w *world) {
			for _, n := range []string{"5", "10", "15"} {
				accepts("", "seedance-2.0", `{"duration":`+n+`}`)(t, w)
			}
		}},
		{"aspect_ratio: Frame ratio such as 16:9, 9:16, 1:1.", func(t *testing.T, w *world) {
			for _, ratio := range []string{"16:9", "9:16", "1:1"} {
				accepts("", "seedance-2.0", `{"aspect_ratio":"`+ratio+`"}`)(t, w)
			}
		}},
		{"For Veo, Auto is expressed by omitting the field or sending an empty string.", func(t *testing.T, w *world) {
			accepts("", "veo3", "")(t, w)
			accepts("", "veo3", `{"aspect_ratio":""}`)(t, w)
		}},
		{"resolution: For example 480p, 720p, 1080p", func(t *testing.T, w *world) {
			for _, r := range []string{"480p", "720p", "1080p"} {
				accepts("", "seedance-2.0", `{"resolution":"`+r+`"}`)(t, w)
			}
		}},
		{"image_url: One image URL, equal to the first image_input entry.", func(t *testing.T, w *world) {
			accepts(videoapi.ImageToVideo, lite, `{"image_input":["`+wide+`"],"image_url":"`+wide+`"}`)(t, w)
			w.refused(w.post(generate, body(videoapi.ImageToVideo, lite, `{"image_input":["`+wide+`"],"image_url":"`+tall+`"}`)), "must be the same")
		}},
		{"end_image_url: an empty string is accepted.", accepts(videoapi.ImageToVideo, lite, `{"image_url":"`+wide+`","end_image_url":""}`)},
		{"camera_fixed: fixed_lens is an equivalent name.", func(t *testing.T, w *world) {
			for _, name := range []string{"camera_fixed", "fixed_lens"} {
				accepts("", "bytedance/seedance-1.5-pro", `{"`+name+`":true}`)(t, w)
			}
			w.refused(w.post(generate, body("", "", `{"camera_fixed":true,"fixed_lens":false}`)), "mean the same")
		}},
		{"seed: a value of -1 is used in the image-to-video usage", accepts(videoapi.ImageToVideo, "bytedance/v1-pro-image-to-video", `{"image_input":["`+wide+`"],"seed":-1}`)},
		{"enable_safety_checker: Safety check switch", accepts("", "bytedance/v1-pro-text-to-video", `{"enable_safety_checker":true}`)},
		{"has_audio: Used for billing calculation only.", func(t *testing.T, w *world) {
			w.post(generate, body("", "bytedance/seedance-1.5-pro", `{"duration":4,"has_audio":false}`)).is(t, "costCredits", "16")
			w.post(generate, body("", "bytedance/seedance-1.5-pro", `{"duration":4,"has_audio":true}`)).is(t, "costCredits", "32")
		}},
	}
}

func callSentences() []sentence {
	return []sentence{
		{"Task states: pending, processing, success, failed, canceled.", func(t *testing.T, w *world) {
			for prompt, want := range map[string]videoapi.Status{"A sea": videoapi.Success, "#fail": videoapi.Failed, "#cancel": videoapi.Canceled} {
				r := w.create(tiny(prompt))
				if r.Status != videoapi.Pending {
					t.Errorf("%q begins as %s", prompt, r.Status)
				}
				if got := w.end(r.ID).Status; got != want {
					t.Errorf("%q ends as %s", prompt, got)
				}
			}
		}},
		{"Method and path: POST {base_url}/api/ai/generate, POST {base_url}/api/ai/query", func(t *testing.T, w *world) {
			for _, path := range []string{generate, query} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if a := w.send(r); a.HTTP != http.StatusMethodNotAllowed {
					t.Errorf("GET %s: HTTP %d", path, a.HTTP)
				}
			}
		}},
		{"Request body: JSON object with one field, taskId (string).", func(t *testing.T, w *world) {
			w.refused(w.post(query, `{"id":"x"}`), "taskId is missing")
			w.refused(w.post(query, `{"taskId":1}`), "taskId must be a string")
		}},
		{"generate_audio: Whether audio is generated", func(t *testing.T, w *world) {
			for asked, want := range map[bool]bool{true: true, false: false} {
				r := tiny("A quiet sea")
				r.Options.Audio, r.Options.HasAudio = &asked, &asked
				if info := w.end(w.create(r).ID).TaskInfo; strings.Contains(info, `"audio":"none: `) != want {
					t.Errorf("asked for: %v, the record says %s", asked, info)
				}
			}
		}},
		{"data is the same task record with the latest status, taskInfo and taskResult.", func(t *testing.T, w *world) {
			made := w.post(generate, body("", "", ""))
			w.end(made.text(t, "id"))
			asked := w.post(query, `{"taskId":"`+made.text(t, "id")+`"}`)
			for _, name := range []string{"id", "mediaType", "scene", "model", "taskId", "costCredits"} {
				asked.is(t, name, string(made.Data[name]))
			}
			asked.is(t, "status", `"success"`)
		}},
		{"Failure response: the envelope with code -1 and a message; no data is shown.", func(t *testing.T, w *world) {
			w.refused(w.post(generate, "{}"), "mediaType")
			w.refused(w.post(query, "{}"), "taskId")
		}},
		{"Third-party callers send the header Authorization: Bearer <API_KEY> on every call.", func(t *testing.T, w *world) {
			w.key = "sk-wrong"
			w.refused(w.post(generate, body("", "", "")), "no auth")
			w.refused(w.post(query, `{"taskId":"x"}`), "no auth")
		}},
		{"Paths carry no version segment.", func(t *testing.T, w *world) {
			if a := w.post("/api/v1/ai/generate", body("", "", "")); a.HTTP != http.StatusNotFound {
				t.Errorf("HTTP %d", a.HTTP)
			}
		}},
	}
}

func limitSentences() []sentence {
	list := func(n int) string { return `{"image_input":["` + strings.Repeat(wide+`","`, n-1) + wide + `"]}` }
	return []sentence{
		{"Images per task: image to video normally 1", func(t *testing.T, w *world) {
			accepts(videoapi.ImageToVideo, "", list(1))(t, w)
			w.refused(w.post(generate, body(videoapi.ImageToVideo, "", list(2))), "takes 1 picture")
		}},
		{"frames to video exactly 2 (start and end)", func(t *testing.T, w *world) {
			accepts(videoapi.FramesToVideo, "", list(2))(t, w)
			w.refused(w.post(generate, body(videoapi.FramesToVideo, "", list(1))), "takes 2 pictures")
			w.refused(w.post(generate, body(videoapi.FramesToVideo, "", list(3))), "takes 2 pictures")
		}},
		{"reference to video at most 3", func(t *testing.T, w *world) {
			accepts(videoapi.ReferenceToVideo, "", list(3))(t, w)
			w.refused(w.post(generate, body(videoapi.ReferenceToVideo, "", list(4))), "1 to 3 pictures")
		}},
		{"For seedance-2.0 at 720p and 5 seconds the default price is 30 credits.", func(t *testing.T, w *world) {
			w.post(generate, body("", "seedance-2.0", `{"resolution":"720p","duration":5}`)).is(t, "costCredits", "30")
		}},
		{"Insufficient credits at task creation: code -1, message text for insufficient credits", func(t *testing.T, w *world) {
			var err error
			if w.key, err = w.NewKey(t.Context(), "poor", 2); err != nil {
				t.Fatal(err)
			}
			w.refused(w.post(generate, body("", "", "")), "Insufficient credits, 2 < 6")
		}},
	}
}
