package videoapi_test

import (
	"testing"

	"dailies/web/videoapi"
)

func TestTheSmallestVideo(t *testing.T) {
	got := videoapi.DefaultCatalog().Smallest()
	if got.Model != "seedance-2.0-fast" || got.Duration != 5 || got.Resolution != "480p" || got.HasPrice {
		t.Errorf("got %+v", got)
	}
	priced, err := videoapi.ParseCatalog(`
[[model]]
id = "dear"
name = "Dear"
scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
durations = [5, 10]
resolutions = ["1080p", "720p"]
ratios = ["16:9"]
  [[model.price]]
  credits = 30

[[model]]
id = "cheap"
name = "Cheap"
scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
durations = [4, 8, 6]
resolutions = ["720p", "480p"]
ratios = ["16:9"]
  [[model.price]]
  resolution = "480p"
  duration = 6
  credits = 12
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := priced.Smallest(); got != (videoapi.Smallest{Model: "cheap", Duration: 6, Resolution: "480p", Credits: 12, HasPrice: true}) {
		t.Errorf("got %+v", got)
	}
	if got := (&videoapi.Catalog{}).Smallest(); got.Model != "" {
		t.Errorf("an empty catalogue has %+v", got)
	}
}
