package film

import (
	"image"
	"math"
)

// ratio is a frame shape that the service offers, by its name in the API.
type ratio struct {
	name string
	w, h int
}

// ratios lists the shapes, the usual one first.
func ratios() []ratio {
	return []ratio{
		{"16:9", 16, 9}, {"9:16", 9, 16}, {"1:1", 1, 1}, {"4:3", 4, 3},
		{"3:4", 3, 4}, {"21:9", 21, 9}, {"9:21", 9, 21},
	}
}

// Size gives the pixel size of a resolution such as "720p" in a ratio such
// as "9:16". The short side has the number in the resolution's name; both
// sides are even, as VP8 players like them. An unknown resolution is taken
// as 720p and an unknown ratio ("", "Auto") as 16:9.
func Size(resolution, ratio string) (w, h int) {
	all := ratios()
	shape := all[0]
	for _, r := range all {
		if r.name == ratio {
			shape = r
		}
	}
	short := shortSide(resolution)
	if shape.w >= shape.h {
		return even(short, shape.w, shape.h), short
	}
	return short, even(short, shape.h, shape.w)
}

// SizeLike is Size in the ratio that comes nearest to a picture's bounds,
// for a film whose ratio was left open.
func SizeLike(resolution string, b image.Rectangle) (w, h int) {
	if b.Empty() {
		return Size(resolution, "")
	}
	want := math.Log(float64(b.Dx()) / float64(b.Dy()))
	best, off := "", math.Inf(1)
	for _, r := range ratios() {
		if d := math.Abs(math.Log(float64(r.w)/float64(r.h)) - want); d < off {
			best, off = r.name, d
		}
	}
	return Size(resolution, best)
}

func shortSide(resolution string) int {
	switch resolution {
	case "480p":
		return 480
	case "1080p":
		return 1080
	}
	return 720
}

// even returns short*long/side, to the nearest even number.
func even(short, long, side int) int {
	return (short*long/side + 1) / 2 * 2
}
