package create_test

import (
	"net/url"
	"testing"

	"dailies/handlers/create"
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
		if err := create.TryForm(scene, values); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRecipe stores any valid recipe and fills it in.
func FuzzRecipe(f *testing.F) {
	f.Add("text-to-video", "name=a&model=seedance-2.0&prompt=A+%7B%7Bcup%7D%7D&ceiling=3,5")
	f.Add("frames-to-video", "name=a&model=veo3&ask=image_input.0&asked.image_input.0=start&image_input=&image_input=https://example.com/b.png")
	f.Add("image-to-video", "name=a&model=bytedance%2Fv1-lite-image-to-video&image_input=%7B%7Ba%7D%7D&ask=end_image_url&asked.end_image_url=b")
	f.Add("reference-to-video", "name=%ff&model=seedance-2.0&ask=image_input.2&asked.image_input.2=c&ask=x&asked.x=%7D%7D")
	f.Fuzz(func(t *testing.T, scene, body string) {
		values, _ := url.ParseQuery(body)
		if err := create.TryRecipe(scene, values); err != nil {
			t.Fatal(err)
		}
	})
}
