package film

import (
	"fmt"
	"image"
	"math"
)

// ratios lists the aspect ratios of the service, the usual one first.
var ratios = []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"}

// Size returns the size in pixels of a resolution such as "720p" in a ratio such
// as "9:16". The resolution names the short side. Both sides are even, as VP8
// players expect. An unknown resolution is taken as 720p, and an unknown ratio
// ("", "Auto") as 16:9.
func Size(resolution, ratio string) (w, h int) {
	short, shape := 720, 16.0/9
	if resolution == "480p" || resolution == "1080p" {
		_, _ = fmt.Sscanf(resolution, "%dp", &short)
	}
	for _, r := range ratios {
		if r == ratio {
			shape = shapeOf(r)
		}
	}
	long := int(math.Round(float64(short)*max(shape, 1/shape)/2)) * 2
	if shape < 1 {
		return short, long
	}
	return long, short
}

// SizeLike returns the Size for the ratio that is nearest to that of a picture's
// bounds.
func SizeLike(resolution string, b image.Rectangle) (w, h int) {
	best, off := "", math.Inf(1)
	for _, r := range ratios {
		if d := math.Abs(math.Log(shapeOf(r) * float64(b.Dy()) / float64(b.Dx()))); d < off {
			best, off = r, d
		}
	}
	return Size(resolution, best)
}

// shapeOf returns the width over the height of a ratio such as "16:9".
func shapeOf(ratio string) float64 {
	var w, h float64
	_, _ = fmt.Sscanf(ratio, "%f:%f", &w, &h) // ratios are all of this form
	return w / h
}
