package documenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dailies/web/videoapi"
)

// A sentence is a sentence of API.md with a check that the subject obeys it.
type sentence struct {
	said string
	held func(check)
}

// Run checks the subject.
func Run(t *testing.T, s *Subject) {
	client := videoapi.NewClient(s.Base, s.Client)
	run := func(sentences ...[]sentence) {
		for _, one := range slices.Concat(sentences...) {
			t.Run(one.said, func(t *testing.T) { one.held(check{s, t, client, s.Key}) })
		}
	}
	run(serviceSentences(), fieldSentences(), callSentences())
	s.Pause()
	run(optionSentences(), limitSentences())
}

func serviceSentences() []sentence {
	return []sentence{
		{"The call returns at once with a task record that carries a task identifier.", func(c check) {
			if c.create("A quiet sea").ID == "" {
				c.Error("no identifier")
			}
		}},
		{"The caller polls with that identifier to read progress and the final result.", func(c check) {
			if r := c.end(c.create("A quiet sea").ID); r.Progress != 1 || len(r.Results().Videos) != 1 {
				c.Errorf("got %+v", r)
			}
		}},
		{"Creating a task checks and deducts credits.", func(c check) {
			before := c.Balance()
			if r := c.create("A quiet sea"); before-c.Balance() != r.Cost || r.Cost != c.Cost {
				c.Errorf("cost %v, paid %v", r.Cost, before-c.Balance())
			}
		}},
		{"A task that ends as failed gets its credits back automatically.", func(c check) {
			before := c.Balance()
			if r := c.end(c.create("#fail").ID); r.Status != videoapi.Failed || c.Balance() != before {
				c.Errorf("%s, balance %v, was %v", r.Status, c.Balance(), before)
			}
		}},
		{"A task that ends as failed is refunded in full.", func(c check) {
			c.Refunded(c.end(c.create("#fail").ID))
		}},
	}
}

func fieldSentences() []sentence {
	return []sentence{
		{"code: 0 on success, -1 on failure. message: ok on success; a short error text on failure. data: present on success",
			func(c check) {
				if a := c.post(Generate, c.body("", "", "")); *a.Code != 0 || a.Message != "ok" || a.Data == nil {
					c.Errorf("got %+v", a)
				}
				c.refused(c.post(Generate, c.body("", "nothing", "")), "no model", "no model")
			}},
		{"id, mediaType, scene, model, status, taskId, costCredits", func(c check) {
			a := c.post(Generate, c.body("", "", ""))
			for name, want := range map[string]string{
				"mediaType": `"video"`, "scene": `"text-to-video"`,
				"model": fmt.Sprintf("%q", c.Model), "status": `"pending"`, "costCredits": fmt.Sprint(c.Cost),
			} {
				a.Is(c, name, want)
			}
			if a.Text(c, "id") == "" || a.Text(c, "taskId") == "" || a.Text(c, "id") == a.Text(c, "taskId") {
				c.Errorf("id %s, taskId %s", a.Data["id"], a.Data["taskId"])
			}
		}},
		{"taskId: It is not the value used for querying.", func(c check) {
			c.refused(c.post(Query, `{"taskId":"`+c.create("A quiet sea").TaskID+`"}`), "task not found", "task not found")
		}},
		{"taskInfo, taskResult: JSON text. The caller must parse it itself. Returned by the query endpoint.", func(c check) {
			made := c.post(Generate, c.body("", "", ""))
			id := made.Text(c, "id")
			c.end(id)
			asked := c.post(Query, `{"taskId":"`+id+`"}`)
			for _, name := range []string{"taskInfo", "taskResult"} {
				if made.Text(c, name) != "" || !json.Valid([]byte(asked.Text(c, name))) {
					c.Errorf("%s: first %s, then %s", name, made.Data[name], asked.Data[name])
				}
			}
		}},
		{"mediaType: Fixed value video", func(c check) {
			c.refused(c.post(Generate, strings.Replace(c.body("", "", ""), `"video"`, `"image"`, 1)), "mediaType", "mediaType")
		}},
	}
}

func optionSentences() []sentence {
	lite := "bytedance/v1-lite-image-to-video"
	withWide := func(scene videoapi.Scene, model, options string) func(check) {
		return func(c check) { c.Helper(); accepts(scene, model, strings.ReplaceAll(options, "WIDE", c.Wide))(c) }
	}
	return []sentence{
		{"prompt: It may be empty in some modes", func(c check) {
			if a := c.post(Generate,
				strings.Replace(c.body(videoapi.ImageToVideo, "", `{"image_input":["`+c.Wide+`"]}`), "A quiet sea", "", 1)); *a.Code != 0 {
				c.Errorf("refused: %s", a.Message)
			}
		}},
		{"Model IDs", func(c check) {
			for _, m := range []string{"seedance-2.0", "seedance-2.0-fast", "veo3", "veo3_fast",
				"bytedance/seedance-1.5-pro", "bytedance/v1-pro-text-to-video", "bytedance/v1-lite-text-to-video"} {
				accepts("", m, `{"camera_fixed":false}`)(c)
			}
			for _, m := range []string{"bytedance/v1-pro-image-to-video", "bytedance/v1-lite-image-to-video"} {
				withWide(videoapi.ImageToVideo, m, `{"image_input":["WIDE"]}`)(c)
			}
		}},
		{"scene: One of text-to-video, image-to-video, frames-to-video, reference-to-video", func(c check) {
			pictures := map[videoapi.Scene]string{
				videoapi.TextToVideo: ``, videoapi.ImageToVideo: `"` + c.Wide + `"`,
				videoapi.FramesToVideo: `"` + c.Wide + `","` + c.Tall + `"`, videoapi.ReferenceToVideo: `"` + c.Wide + `"`,
			}
			for _, scene := range videoapi.Scenes() {
				accepts(scene, "", `{"image_input":[`+pictures[scene]+`]}`)(c)
			}
			c.refused(c.post(Generate, c.body("video-to-video", "", "")), "invalid scene", "invalid scene")
		}},
		{"Example requests leave out provider.", accepts("", "", "")},
		{"mode: Same value as scene. Recommended.", func(c check) {
			accepts("", "", `{"mode":"text-to-video"}`)(c)
			c.refused(c.post(Generate, c.body("", "", `{"mode":"image-to-video"}`)),
				"options.mode must be the same as scene", "options.mode must be the same as scene")
		}},
		{"duration: Length in seconds (for example 5, 10 or 15)", func(c check) {
			for _, n := range []string{"5", "10", "15"} {
				accepts("", "seedance-2.0", `{"duration":`+n+`}`)(c)
			}
		}},
		{"aspect_ratio: Frame ratio such as 16:9, 9:16, 1:1.", func(c check) {
			for _, ratio := range []string{"16:9", "9:16", "1:1"} {
				accepts("", "seedance-2.0", `{"aspect_ratio":"`+ratio+`"}`)(c)
			}
		}},
		{"For Veo, Auto is expressed by omitting the field or sending an empty string.", func(c check) {
			accepts("", "veo3", "")(c)
			accepts("", "veo3", `{"aspect_ratio":""}`)(c)
		}},
		{"resolution: For example 480p, 720p, 1080p", func(c check) {
			for _, r := range []string{"480p", "720p", "1080p"} {
				accepts("", "seedance-2.0", `{"resolution":"`+r+`"}`)(c)
			}
		}},
		{"image_url: One image URL, equal to the first image_input entry.", func(c check) {
			withWide(videoapi.ImageToVideo, lite, `{"image_input":["WIDE"],"image_url":"WIDE"}`)(c)
			c.refused(c.post(Generate, c.body(videoapi.ImageToVideo, lite, `{"image_input":["`+c.Wide+`"],"image_url":"`+c.Tall+`"}`)),
				"must be the same", "must be the same")
		}},
		{"end_image_url: an empty string is accepted.", withWide(videoapi.ImageToVideo, lite, `{"image_url":"WIDE","end_image_url":""}`)},
		{"camera_fixed: fixed_lens is an equivalent name.", func(c check) {
			for _, name := range []string{"camera_fixed", "fixed_lens"} {
				accepts("", "bytedance/seedance-1.5-pro", `{"`+name+`":true}`)(c)
			}
			c.refused(c.post(Generate, c.body("", "", `{"camera_fixed":true,"fixed_lens":false}`)), "mean the same", "mean the same")
		}},
		{"seed: a value of -1 is used in the image-to-video usage",
			withWide(videoapi.ImageToVideo, "bytedance/v1-pro-image-to-video", `{"image_input":["WIDE"],"seed":-1}`)},
		{"enable_safety_checker: Safety check switch", accepts("", "bytedance/v1-pro-text-to-video", `{"enable_safety_checker":true}`)},
		{"has_audio: Used for billing calculation only.", func(c check) {
			c.post(Generate, c.body("", "bytedance/seedance-1.5-pro", `{"duration":4,"has_audio":false}`)).Is(c, "costCredits", "16")
			c.post(Generate, c.body("", "bytedance/seedance-1.5-pro", `{"duration":4,"has_audio":true}`)).Is(c, "costCredits", "32")
		}},
	}
}

func callSentences() []sentence {
	return []sentence{
		{"Task states: pending, processing, success, failed, canceled.", func(c check) {
			for prompt, want := range map[string]videoapi.Status{"A sea": videoapi.Success, "#fail": videoapi.Failed,
				"#cancel": videoapi.Canceled} {
				r := c.create(prompt)
				if r.Status != videoapi.Pending {
					c.Errorf("%q begins as %s", prompt, r.Status)
				}
				if got := c.end(r.ID).Status; got != want {
					c.Errorf("%q ends as %s", prompt, got)
				}
			}
		}},
		{"Method and path: POST {base_url}/api/ai/generate, POST {base_url}/api/ai/query", func(c check) {
			for _, path := range []string{Generate, Query} {
				if status := c.send(http.MethodGet, path, "", &Wire{}); status != http.StatusMethodNotAllowed {
					c.Errorf("GET %s: HTTP %d", path, status)
				}
			}
		}},
		{"Request body: JSON object with one field, taskId (string).", func(c check) {
			c.refused(c.post(Query, `{"id":"x"}`), "taskId is missing", "taskId is missing")
			c.refused(c.post(Query, `{"taskId":1}`), "taskId must be a string", "taskId must be a string")
		}},
		{"generate_audio: Whether audio is generated", func(c check) {
			for _, asked := range []bool{true, false} {
				r := c.end(c.createWith("A quiet sea", sound(asked)).ID)
				if got := c.HasSound(r); got != asked {
					c.Errorf("asked for: %v, got %v", asked, got)
				}
			}
		}},
		{"data is the same task record with the latest status, taskInfo and taskResult.", func(c check) {
			made := c.post(Generate, c.body("", "", ""))
			c.end(made.Text(c, "id"))
			asked := c.post(Query, `{"taskId":"`+made.Text(c, "id")+`"}`)
			for _, name := range []string{"id", "mediaType", "scene", "model", "taskId", "costCredits"} {
				asked.Is(c, name, string(made.Data[name]))
			}
			asked.Is(c, "status", `"success"`)
		}},
		{"Failure response: the envelope with code -1 and a message; no data is shown.", func(c check) {
			c.refused(c.post(Generate, "{}"), "mediaType", "mediaType")
			c.refused(c.post(Query, "{}"), "taskId", "taskId")
		}},
		{"Third-party callers send the header Authorization: Bearer <API_KEY> on every call.", func(c check) {
			c.key = "sk-wrong"
			c.refused(c.post(Generate, c.body("", "", "")), "no auth", "no auth")
			c.refused(c.post(Query, `{"taskId":"x"}`), "no auth", "no auth")
		}},
		{"Paths carry no version segment.", func(c check) {
			if status := c.send(http.MethodPost, "/api/v1/ai/generate", c.body("", "", ""), nil); status != http.StatusNotFound {
				c.Errorf("HTTP %d", status)
			}
		}},
	}
}

// sound returns options with or without sound.
func sound(on bool) (o videoapi.Options) {
	o.Audio, o.HasAudio = &on, &on
	return o
}

func limitSentences() []sentence {
	list := func(c check, n int) string {
		return `{"image_input":["` + strings.Repeat(c.Wide+`","`, n-1) + c.Wide + `"]}`
	}
	return []sentence{
		{"Images per task: image to video normally 1", func(c check) {
			accepts(videoapi.ImageToVideo, "", list(c, 1))(c)
			c.refused(c.post(Generate, c.body(videoapi.ImageToVideo, "", list(c, 2))), "image_input", "takes 1 picture")
		}},
		{"frames to video exactly 2 (start and end)", func(c check) {
			accepts(videoapi.FramesToVideo, "", list(c, 2))(c)
			c.refused(c.post(Generate, c.body(videoapi.FramesToVideo, "", list(c, 1))), "image_input", "takes 2 pictures")
			c.refused(c.post(Generate, c.body(videoapi.FramesToVideo, "", list(c, 3))), "image_input", "takes 2 pictures")
		}},
		{"reference to video at most 3", func(c check) {
			accepts(videoapi.ReferenceToVideo, "", list(c, 3))(c)
			c.refused(c.post(Generate, c.body(videoapi.ReferenceToVideo, "", list(c, 4))), "image_input", "1 to 3 pictures")
		}},
		{"For seedance-2.0 at 720p and 5 seconds the default price is 30 credits.", func(c check) {
			c.post(Generate, c.body("", "seedance-2.0", `{"resolution":"720p","duration":5}`)).Is(c, "costCredits", "30")
		}},
		{"Insufficient credits at task creation: code -1, message text for insufficient credits", func(c check) {
			c.key = c.Poor()
			a := c.post(Generate, c.body("", "", ""))
			a.Message = strings.ToLower(a.Message)
			c.refused(a, "insufficient credits", fmt.Sprintf("insufficient credits, 2 < %v", c.Cost))
		}},
	}
}
