package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"dailies/web/videoapi"
)

const (
	wide = "https://pictures.example/wide.png"
	tall = "https://pictures.example/tall.png"
)

func TestBadRequestsAreRefusedAndCostNothing(t *testing.T) {
	w := start(t, 1000)
	lite := "bytedance/v1-lite-image-to-video"
	text, image, frames, references := videoapi.TextToVideo, videoapi.ImageToVideo, videoapi.FramesToVideo, videoapi.ReferenceToVideo
	for name, c := range map[string]struct{ body, message string }{
		"no media type":       {`{"scene":"text-to-video","model":"tiny","prompt":"x"}`, "mediaType"},
		"other media type":    {`{"mediaType":"image","scene":"text-to-video","model":"tiny","prompt":"x"}`, "mediaType"},
		"no scene":            {`{"mediaType":"video","model":"tiny","prompt":"x"}`, "invalid scene"},
		"unknown scene":       {body("video-to-video", "", ""), "invalid scene"},
		"scene not offered":   {body(frames, "bytedance/v1-pro-text-to-video", ""), "invalid scene: bytedance/v1-pro-text-to-video does not offer frames-to-video"},
		"no model":            {`{"mediaType":"video","scene":"text-to-video","prompt":"x"}`, "no model"},
		"unknown model":       {body("", "gpt-5", ""), `no model "gpt-5"`},
		"no prompt":           {`{"mediaType":"video","scene":"text-to-video","model":"tiny"}`, "prompt must not be empty"},
		"blank prompt":        {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":" \n"}`, "prompt must not be empty"},
		"prompt is no text":   {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":["x"]}`, "prompt must be a string"},
		"provider is no text": {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x","provider":1}`, "provider must be a string"},
		"options are a list":  {body("", "", `[]`), "options must be an object"},
		"other mode":          {body("", "", `{"mode":"image-to-video"}`), "options.mode"},
		"duration not had":    {body("", "bytedance/v1-pro-text-to-video", `{"duration":7}`), "options.duration must be one of [5 10]"},
		"duration 0":          {body("", "", `{"duration":0}`), "options.duration"},
		"duration 31":         {body("", "", `{"duration":31}`), "options.duration"},
		"duration 1.5":        {body("", "", `{"duration":1.5}`), "whole number"},
		"duration 1e300":      {body("", "", `{"duration":1e300}`), "options.duration"},
		"duration is text":    {body("", "", `{"duration":"5"}`), "options.duration must be a number"},
		"Veo for 5 seconds":   {body("", "veo3", `{"duration":5}`), "options.duration"},
		"resolution":          {body("", "seedance-2.0-fast", `{"resolution":"1080p"}`), "options.resolution must be one of 480p, 720p"},
		"ratio":               {body("", "veo3", `{"aspect_ratio":"1:1"}`), "options.aspect_ratio must be one of 16:9, 9:16, Auto"},
		"Auto without Veo":    {body("", "seedance-2.0", `{"aspect_ratio":"Auto"}`), "options.aspect_ratio"},
		"seed":                {body("", "bytedance/v1-pro-text-to-video", `{"seed":2147483648}`), "options.seed"},
		"seed -2":             {body("", "bytedance/v1-pro-text-to-video", `{"seed":-2}`), "options.seed"},
		"seed is text":        {body("", "veo3", `{"seed":"x"}`), "options.seed must be a number"},
		"flag is text":        {body("", "", `{"has_audio":"yes"}`), "options.has_audio must be true or false"},
		"two cameras":         {body("", "", `{"camera_fixed":true,"fixed_lens":false}`), "must not differ"},
		"picture in text":     {body(text, "", `{"image_input":["`+wide+`"]}`), "takes no pictures"},
		"no picture":          {body(image, "", ""), "image-to-video takes 1 picture with tiny, not 0"},
		"two pictures":        {body(image, "", `{"image_input":["`+wide+`","`+tall+`"]}`), "takes 1 picture"},
		"one frame":           {body(frames, "", `{"image_input":["`+wide+`"]}`), "takes 2 pictures"},
		"three frames":        {body(frames, "", `{"image_input":["`+wide+`","`+wide+`","`+wide+`"]}`), "takes 2 pictures"},
		"no reference":        {body(references, "", ""), "takes 1 to 3 pictures"},
		"four references":     {body(references, "", `{"image_input":["`+strings.Repeat(wide+`","`, 3)+wide+`"]}`), "takes 1 to 3 pictures"},
		"other image_url":     {body(image, lite, `{"image_input":["`+wide+`"],"image_url":"`+tall+`"}`), "options.image_url must be the same as options.image_input[0]"},
		"end without start":   {body(image, lite, `{"end_image_url":"`+wide+`"}`), "needs options.image_url"},
		"ftp":                 {body(image, "", `{"image_input":["ftp://pictures.example/a.png"]}`), "not an http or https address"},
		"no host":             {body(image, "", `{"image_input":["https:///a.png"]}`), "not an http or https address"},
		"data":                {body(image, "", `{"image_input":["data:image/png;base64,AAAA"]}`), "not an http or https address"},
		"null address":        {body(image, "", `{"image_input":[null]}`), "not an http or https address"},
		"endless address":     {body(image, "", `{"image_input":["https://a.example/`+strings.Repeat("a", 10_000)+`"]}`), "not an http or https address"},
		"endless prompt":      {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"` + strings.Repeat("a", 100_001) + `"}`, "prompt is longer than 100000 bytes"},
		"endless options":     {body("", "", `{"more":"`+strings.Repeat("a", 100_000)+`"}`), "options is longer than 100000 bytes"},
		"endless provider":    {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x","provider":"` + strings.Repeat("a", 101) + `"}`, "provider is longer than 100 bytes"},
		"asked to refuse":     {`{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"A sea #Refuse!"}`, "asked to refuse"},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.post(generate, c.body)
			w.refused(a, c.message)
			if a.HTTP != 200 {
				t.Errorf("HTTP %d, want 200", a.HTTP)
			}
		})
	}
	if b := w.balance(); b != 1000 {
		t.Errorf("balance %v, want 1000", b)
	}
}

func TestGoodRequestsAreAccepted(t *testing.T) {
	// Only acceptance is tested, so no task is rendered.
	w := start(t, 100_000)
	w.pause()
	lite := "bytedance/v1-lite-image-to-video"
	image, frames, references := videoapi.ImageToVideo, videoapi.FramesToVideo, videoapi.ReferenceToVideo
	for name, text := range map[string]string{
		"without provider":         body("", "", ""),
		"with provider":            `{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x","provider":"kie"}`,
		"without options":          `{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x"}`,
		"null for missing":         `{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x","provider":null,"options":null}`,
		"unknown fields":           `{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"x","more":[1],"options":{"more":{}}}`,
		"no prompt with a picture": `{"mediaType":"video","scene":"image-to-video","model":"tiny","options":{"image_input":["` + wide + `"]}}`,
		"empty prompt with frames": `{"mediaType":"video","scene":"frames-to-video","model":"tiny","prompt":"","options":{"image_input":["` + wide + `","` + tall + `"]}}`,
		"three references":         body(references, "", `{"image_input":["`+wide+`","`+tall+`","`+wide+`"]}`),
		"one reference":            body(references, "", `{"image_input":["`+wide+`"]}`),
		"image_url alone":          body(image, lite, `{"image_url":"`+wide+`"}`),
		"image_url is the first":   body(image, lite, `{"image_input":["`+wide+`"],"image_url":"`+wide+`"}`),
		"empty end image":          body(image, lite, `{"image_url":"`+wide+`","end_image_url":""}`),
		"an end image":             body(image, lite, `{"image_url":"`+wide+`","end_image_url":"`+tall+`"}`),
		"frames by their names":    body(frames, lite, `{"image_url":"`+wide+`","end_image_url":"`+tall+`"}`),
		"seed -1":                  body(image, lite, `{"image_url":"`+wide+`","seed":-1}`),
		"seed -1 for Veo":          body("", "veo3", `{"seed":-1}`),
		"seed nobody takes":        body("", "seedance-2.0", `{"seed":5}`),
		"Auto is omitted":          body("", "veo3", ""),
		"Auto is empty":            body("", "veo3", `{"aspect_ratio":""}`),
		"Auto is said":             body("", "veo3", `{"aspect_ratio":"Auto"}`),
		"mode is the scene":        body("", "", `{"mode":"text-to-video"}`),
		"fixed_lens":               body("", "bytedance/seedance-1.5-pro", `{"fixed_lens":true}`),
		"camera_fixed":             body("", "bytedance/seedance-1.5-pro", `{"camera_fixed":true}`),
		"both, the same":           body("", "bytedance/seedance-1.5-pro", `{"camera_fixed":true,"fixed_lens":true}`),
		"safety and sound":         body("", "seedance-2.0", `{"enable_safety_checker":false,"generate_audio":true,"has_audio":true}`),
		"5.0 seconds":              body("", "seedance-2.0", `{"duration":5.0}`),
		"a long prompt":            `{"mediaType":"video","scene":"text-to-video","model":"tiny","prompt":"` + strings.Repeat("sea ", 25_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if a := w.post(generate, text); *a.Code != 0 {
				t.Errorf("refused: %s", a.Message)
			}
		})
	}
}

// Whatever the body, the answer is an envelope: either an error that costs
// nothing, or a task that has been paid for.
func FuzzCreate(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", "{}", `{"scene":1}`, "\xff", `{"options":{"duration":1e999}}`,
		body("", "", ""),
		body("", "veo3", `{"aspect_ratio":"Auto","seed":-1}`),
		body(videoapi.ImageToVideo, "tiny", `{"image_input":["`+wide+`"]}`),
		body(videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video", `{"image_url":"`+wide+`","end_image_url":"","camera_fixed":true}`),
		body(videoapi.FramesToVideo, "seedance-2.0", `{"image_input":["`+wide+`","`+tall+`"],"duration":4,"has_audio":true}`),
	} {
		f.Add([]byte(seed))
	}
	one := start(f, 1e9)
	one.pause()
	f.Fuzz(func(t *testing.T, text []byte) {
		w := *one
		w.t = t
		before := w.balance()
		a := w.post(generate, string(text))
		switch {
		case a.HTTP != http.StatusOK || !slices.Contains([]int{0, -1}, *a.Code) || a.Message == "":
			t.Fatalf("HTTP %d, code %d, message %q", a.HTTP, *a.Code, a.Message)
		case (*a.Code == 0) != (a.Data != nil), (*a.Code == 0) != (w.balance() < before):
			t.Fatalf("code %d, data %v, balance %v, was %v", *a.Code, a.Data, w.balance(), before)
		case *a.Code == 0 && w.query(a.Text(t, "id")).Status != videoapi.Pending:
			t.Fatal("it is not pending")
		}
	})
}
