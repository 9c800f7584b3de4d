package sandbox_test

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"dailies/db/option"
	"dailies/web/videoapi"
)

func TestAnUnusablePictureFailsTheTask(t *testing.T) {
	w := start(t, 100)
	for address, reason := range map[string]string{
		"https://pictures.example/missing.png":     "Picture 2 could not be fetched: HTTP 404.",
		"https://pictures.example/unreachable.png": "Picture 2 could not be fetched: its address cannot be reached.",
		"https://pictures.example/page.html":       "Picture 2 is not a picture.",
		"https://pictures.example/huge.png":        "Picture 2 is larger than 20 MB.",
		"https://pictures.example/vast.png":        "Picture 2 has more than 50 megapixels.",
		"https://pictures.example/cut.png":         "Picture 2 could not be fetched: the connection broke.",
		base + "/files/nothing":                    "Picture 2 could not be fetched: HTTP 404.",
	} {
		r := tiny("A quiet sea")
		r.Scene, r.Options.ImageInput = videoapi.FramesToVideo, []string{wide, address}
		ended := w.end(w.create(r).ID)
		if got := ended.Reason().Text; ended.Status != videoapi.Failed || got != reason {
			t.Errorf("%s: %s, %q; want %q", address, ended.Status, got, reason)
		}
		if b := w.balance(); b != 100 {
			t.Fatalf("%s: balance %v, want 100", address, b)
		}
	}
}

// API.md: "Image to video: normally 1. Frames to video: 2 (start and end).
// Reference to video: at most 3."
func TestEverySceneMakesAVideo(t *testing.T) {
	w := start(t, 1000)
	for name, r := range map[string]videoapi.Request{
		"text":        {Scene: videoapi.TextToVideo, Model: "tiny", Prompt: "A quiet sea"},
		"image":       {Scene: videoapi.ImageToVideo, Model: "tiny", Options: videoapi.Options{ImageInput: []string{wide}}},
		"frames":      {Scene: videoapi.FramesToVideo, Model: "tiny", Options: videoapi.Options{ImageInput: []string{wide, tall}}},
		"references":  {Scene: videoapi.ReferenceToVideo, Model: "tiny", Options: videoapi.Options{ImageInput: []string{wide, tall, wide}}},
		"with an end": {Scene: videoapi.ImageToVideo, Model: "tiny-lite", Options: videoapi.Options{ImageURL: wide, EndImageURL: tall}},
	} {
		r.MediaType = videoapi.MediaType
		if ended := w.end(w.create(r).ID); ended.Status != videoapi.Success {
			t.Errorf("%s: %s, %s", name, ended.Status, ended.Reason())
		}
	}
}

// API.md: "Length in seconds".
func TestAVideoLastsAsLongAsAskedFor(t *testing.T) {
	w := start(t, 1000)
	for _, seconds := range []int{1, 2} {
		r := tiny("A quiet sea")
		r.Options.Duration = seconds
		text := w.file(w.end(w.create(r).ID).Results().Videos[0], "")
		_, after, ok := strings.Cut(text, "\x44\x89\x88") // WebM's Duration element: its ID, then a length of eight bytes
		if !ok {
			t.Fatal("the video does not say how long it lasts")
		}
		if ms := math.Float64frombits(binary.BigEndian.Uint64([]byte(after[:8]))); ms != float64(seconds)*1000 {
			t.Errorf("it lasts %v ms, want %d s", ms, seconds)
		}
	}
}

// API.md: "Frame ratio such as 16:9, 9:16, 1:1."
func TestShapesOfVideos(t *testing.T) {
	w := start(t, 1000)
	for name, c := range map[string]struct {
		options videoapi.Options
		w, h    int
	}{
		"a ratio":          {videoapi.Options{Values: option.Values{AspectRatio: "1:1"}, ImageInput: []string{wide}}, 96, 96},
		"as a wide one":    {videoapi.Options{ImageInput: []string{wide}}, 170, 96},
		"as a tall one":    {videoapi.Options{ImageInput: []string{tall}}, 96, 170},
		"as a result's is": {videoapi.Options{}, 96, 170},
	} {
		if len(c.options.ImageInput) == 0 {
			made := w.end(w.create(videoapi.Request{MediaType: "video", Scene: videoapi.ImageToVideo, Model: "tiny",
				Options: videoapi.Options{ImageInput: []string{tall}}}).ID)
			c.options.ImageInput = []string{made.Results().Cover}
		}
		r := w.end(w.create(videoapi.Request{MediaType: "video", Scene: videoapi.ImageToVideo, Model: "tiny", Options: c.options}).ID)
		cover, err := jpeg.Decode(bytes.NewReader([]byte(w.file(r.Results().Cover, ""))))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b := cover.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
			t.Errorf("%s: %d by %d, want %d by %d", name, b.Dx(), b.Dy(), c.w, c.h)
		}
	}
}
