package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"dailies/web/videoapi"
)

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
