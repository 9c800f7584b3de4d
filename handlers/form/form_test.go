package form_test

import (
	"net/url"
	"testing"

	"dailies/handlers/form"
)

// FuzzForm submits any body to the form that makes a video. The response is always a
// page, never an internal error.
func FuzzForm(f *testing.F) {
	f.Add("image-to-video", "model=veo3&prompt=boat&image_input=https%3A%2F%2Fexample.com%2Fa.png&seed=7&duration=8")
	f.Add("frames-to-video", "model=bytedance%2Fv1-lite-image-to-video&image_url=http://a&end_image_url=http://b&aspect_ratio=Auto")
	f.Add("reference-to-video", "image_input=&image_input=%00&image_input=%ff&prompt=%F0%9F&options_of=x&model=seedance-2.0")
	f.Add("text-to-video", "model=veo3&aspect_ratio=&generate_audio=false&seed=-99999999999999999999")
	f.Add("text-to-video", "model=veo3&prompt=x&from=1&use=final&count=4&seed=2147483647&price_shown=4+120")
	f.Fuzz(func(t *testing.T, scene, body string) {
		values, _ := url.ParseQuery(body)
		if err := form.TryForm(scene, values); err != nil {
			t.Fatal(err)
		}
	})
}
