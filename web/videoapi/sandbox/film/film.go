// Package film renders short films without a model: the words of a prompt over
// a moving scene, or slow camera moves over the pictures that came with it. A
// film is WebM with VP8 key frames only, so that players can seek to every frame. It is
// written while it is rendered, so memory does not grow with its length.
//
// The encoder is this package's own, because those in pure Go are made for still
// pictures: they search for the best encoding of each, however long that takes, and
// do not limit the bytes of a second. BenchmarkRender720p5s measures this one.
//
// The same Film has the same bytes on every run: nothing depends on a clock or on
// any other random source than the film's prompt and seed.
package film

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"io"
	"math"
	"runtime"
	"time"
)

// FrameRate is the number of frames in a second of film.
const FrameRate = 24

// The scenes of films, by their names in the service's API.
const (
	TextToVideo      = "text-to-video"
	ImageToVideo     = "image-to-video"
	FramesToVideo    = "frames-to-video"
	ReferenceToVideo = "reference-to-video"
)

const (
	minDuration = time.Second
	maxDuration = 30 * time.Second
	minSide     = 16
	maxSide     = 4096
)

// A Film describes what to render. Prompt, Model, Seed and Workers may be zero;
// the rest is required.
type Film struct {
	// Scene is one of the four scene names above.
	Scene string
	// Prompt is drawn as the title.
	Prompt string
	// Model is drawn small, beside the word SANDBOX.
	Model string
	// Pictures holds none for text, one for image, start and end for frames, and
	// one to three for reference, as picture.Draw returns them.
	Pictures []image.Image
	// Duration is 1 s to 30 s.
	Duration time.Duration
	// Width and Height are in pixels and even. Size returns suitable ones.
	Width, Height int
	// Seed determines colours and motion, together with Prompt.
	Seed int64
	// Workers is the number of frames that are rendered concurrently. Zero means
	// half of the processors, so that the rest of the server stays responsive,
	// but at least two, because one renders more slowly than the film plays.
	Workers int
}

// Render writes the film to w, from offset 0 on, and leaves w at its end. It calls
// progress, unless nil, with a share from 0 to 1 after each second of film and at
// the end, from the calling goroutine. If ctx ends, it returns the context's error
// and leaves an unfinished file.
func (f Film) Render(ctx context.Context, w io.WriteSeeker, progress func(float64)) error {
	if err := f.check(); err != nil {
		return err
	}
	reel, err := newReel(f)
	if err != nil {
		return err
	}
	if err := reel.meter(ctx); err != nil {
		return err
	}
	mux, err := newMuxer(w, f.Width, f.Height, f.frames())
	if err != nil {
		return err
	}
	shown := func(i int, frame []byte) error {
		if err := mux.add(frame); err != nil {
			return err
		}
		if progress != nil && ((i+1)%FrameRate == 0 || i+1 == f.frames()) {
			progress(float64(i+1) / float64(f.frames()))
		}
		return nil
	}
	workers := f.Workers
	if all := runtime.GOMAXPROCS(0); workers <= 0 {
		workers = min(all, max(2, all/2))
	}
	if err := reel.shoot(ctx, workers, shown); err != nil {
		return err
	}
	return mux.close()
}

// Cover writes the frame after the first third of the film, which has the whole
// title, to w as a JPEG.
func (f Film) Cover(w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	reel, err := newReel(f)
	if err != nil {
		return err
	}
	frame := image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
	reel.paint(frame, f.frames()/3)
	return jpeg.Encode(w, frame, &jpeg.Options{Quality: 88})
}

// frames returns the number of frames of the whole film.
func (f Film) frames() int {
	return int((f.Duration*FrameRate + time.Second/2) / time.Second)
}

// counts holds the minimum and maximum number of pictures of each scene.
var counts = map[string][2]int{TextToVideo: {0, 0}, ImageToVideo: {1, 1}, FramesToVideo: {2, 2}, ReferenceToVideo: {1, 3}}

// check returns an error for a film that cannot be rendered.
func (f Film) check() error {
	count, known := counts[f.Scene]
	switch n := len(f.Pictures); {
	case !known:
		return fmt.Errorf("film: unknown scene %q", f.Scene)
	case n < count[0] || n > count[1]:
		return fmt.Errorf("film: %s takes %d to %d pictures, not %d", f.Scene, count[0], count[1], n)
	case f.Duration < minDuration || f.Duration > maxDuration:
		return fmt.Errorf("film: a length of %v is not between %v and %v", f.Duration, minDuration, maxDuration)
	case min(f.Width, f.Height) < minSide || max(f.Width, f.Height) > maxSide || f.Width%2 != 0 || f.Height%2 != 0:
		return fmt.Errorf("film: %d by %d pixels is not an even size between %d and %d", f.Width, f.Height, minSide, maxSide)
	}
	for _, p := range f.Pictures {
		if p == nil || p.Bounds().Empty() {
			return errors.New("film: an empty picture")
		}
	}
	return nil
}

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

// A chance is a source of pseudo-random numbers. It is immutable, so several
// painters can use one at the same time.
type chance uint64

// newChance returns a source that depends only on the prompt and the seed.
func newChance(prompt string, seed int64) chance {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return chance(scramble(h.Sum64() ^ uint64(seed)*0x9e3779b97f4a7c15))
}

// scramble mixes the bits of a number like splitmix64, so that similar numbers
// give unrelated results.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// at returns the n-th number of the source, from 0 to 1.
func (c chance) at(n int) float64 {
	return float64(scramble(uint64(c)+uint64(n+1)*0x9e3779b97f4a7c15)>>11) / (1 << 53)
}

// between returns the n-th number, scaled to a range.
func (c chance) between(n int, low, high float64) float64 { return low + (high-low)*c.at(n) }

// pick returns the n-th number as an integer from 0 to count-1.
func (c chance) pick(n, count int) int { return min(int(c.at(n)*float64(count)), count-1) }

// direction returns the n-th number as -1 (left) or 1 (right).
func (c chance) direction(n int) float64 { return math.Copysign(1, c.at(n)-.5) }

// branch returns the n-th independent source derived from c.
func (c chance) branch(n int) chance { return chance(scramble(uint64(c) ^ uint64(n+1)<<32)) }

// noise returns the value at x of a smooth curve through the source's numbers,
// from -1 to 1.
func (c chance) noise(x float64) float64 {
	f := math.Floor(x)
	t := x - f
	t = t * t * t * (t*(t*6-15) + 10)
	a, b := c.at(int(f)), c.at(int(f)+1)
	return 2*(a+(b-a)*t) - 1
}

// hills returns a sum of noise curves, each finer and lower than the one before.
func (c chance) hills(x float64, octaves int, rough float64) float64 {
	sum, height := 0.0, 1.0
	for range octaves {
		sum += height * c.noise(x)
		x, height = x*2.03+17.1, height*rough
	}
	return sum
}

// smooth rises from 0 to 1 while x goes from a to b, with a soft start and end.
func smooth(a, b, x float64) float64 {
	t := min(max((x-a)/(b-a), 0), 1)
	return t * t * (3 - 2*t)
}

// settle rises from 0 to 1 with x, fast at first and slower towards the end.
func settle(x float64) float64 {
	x = 1 - min(max(x, 0), 1)
	return 1 - x*x*x*x
}
