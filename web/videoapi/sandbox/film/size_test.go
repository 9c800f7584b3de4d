package film_test

import (
	"image"
	"testing"

	"dailies/web/videoapi/sandbox/film"
)

func TestSizeKeepsTheShortSideAndEvenNumbers(t *testing.T) {
	for _, c := range []struct {
		resolution, ratio string
		w, h              int
	}{
		{"720p", "16:9", 1280, 720}, {"1080p", "9:16", 1080, 1920}, {"480p", "1:1", 480, 480},
		{"480p", "16:9", 854, 480}, {"720p", "4:3", 960, 720}, {"720p", "3:4", 720, 960},
		{"1080p", "21:9", 2520, 1080}, {"480p", "9:21", 480, 1120},
		{"720p", "", 1280, 720}, {"720p", "Auto", 1280, 720}, {"", "1:1", 720, 720},
	} {
		if w, h := film.Size(c.resolution, c.ratio); w != c.w || h != c.h {
			t.Errorf("%s %s: %d by %d", c.resolution, c.ratio, w, h)
		}
	}
}

func TestSizeLikeTakesTheNearestRatio(t *testing.T) {
	for _, c := range []struct{ pw, ph, w, h int }{
		{4000, 3000, 960, 720}, {1080, 1920, 720, 1280}, {500, 510, 720, 720}, {3000, 1000, 1680, 720}, {0, 0, 1280, 720},
	} {
		if w, h := film.SizeLike("720p", image.Rect(0, 0, c.pw, c.ph)); w != c.w || h != c.h {
			t.Errorf("%d by %d: %d by %d", c.pw, c.ph, w, h)
		}
	}
}
