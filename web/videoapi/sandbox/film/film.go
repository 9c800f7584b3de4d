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
	"image"
	"image/jpeg"
	"io"
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
