// Package film renders short films without any model: the words of a prompt
// over a moving scene, or a slow move over the pictures that came with it.
// A film is WebM with VP8 key frames only, so that every frame is a place to
// seek to, and it is written as it is made: memory does not grow with length.
//
// The encoder is this package's own, as those in pure Go are made for still
// pictures: the best of them, deepteams/webp, took 12.5 s for five seconds at
// 720p on two cores and made 2.5 MB a second. The limits here are 6 s and 2 MB.
//
// The same Film gives the same bytes on every run: nothing here reads a
// clock or a random source other than the film's own prompt and seed.
package film

import (
	"bytes"
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

// The scenes a Film can be of, by the names of the service's API.
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

// A Film is what to render. The zero values of Prompt, Model, Seed and
// Workers are fine; the rest is required.
type Film struct {
	// Scene is one of the four scene names above.
	Scene string
	// Prompt is drawn as the title; it may be empty.
	Prompt string
	// Model is drawn small, beside the Sandbox mark; it may be empty.
	Model string
	// Pictures are none for text, one for image, start and end for frames,
	// and one to three for reference. picture.Draw makes them.
	Pictures []image.Image
	// Duration is 1 s to 30 s.
	Duration time.Duration
	// Width and Height are in pixels, even numbers. Size finds them.
	Width, Height int
	// Seed decides colour and motion, together with Prompt.
	Seed int64
	// Workers is how many frames are made at the same time. Zero means half
	// of the processors, so that the rest of the server stays quick, but two
	// where there are two: one alone is slower than the film plays.
	Workers int
}

// Render writes the film to w, beginning at offset 0 of w, which is left at
// its end. It calls progress, if that is not nil, with a share from 0 to 1
// after each second of film and at the end, from the calling goroutine. When
// ctx ends it stops and returns the context's error; what was written by
// then is not a film.
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
	if err := reel.shoot(ctx, f.workers(), shown); err != nil {
		return err
	}
	return mux.close()
}

// Cover returns a frame from the first third of the film, when the title has come
// in, as JPEG bytes.
func (f Film) Cover() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	reel, err := newReel(f)
	if err != nil {
		return nil, err
	}
	frame := image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
	reel.paint(frame, f.frames()/3)
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, frame, &jpeg.Options{Quality: 88}); err != nil {
		return nil, fmt.Errorf("cover: %w", err)
	}
	return buf.Bytes(), nil
}

// frames returns the number of frames of the whole film.
func (f Film) frames() int {
	return int((f.Duration*FrameRate + time.Second/2) / time.Second)
}

func (f Film) workers() int {
	if f.Workers > 0 {
		return f.Workers
	}
	all := runtime.GOMAXPROCS(0)
	return min(all, max(2, all/2))
}

// check refuses what cannot be rendered, before anything is written.
func (f Film) check() error {
	least, most := 0, 0
	switch f.Scene {
	case TextToVideo:
	case ImageToVideo:
		least, most = 1, 1
	case FramesToVideo:
		least, most = 2, 2
	case ReferenceToVideo:
		least, most = 1, 3
	default:
		return fmt.Errorf("film: unknown scene %q", f.Scene)
	}
	if n := len(f.Pictures); n < least || n > most {
		return fmt.Errorf("film: %s takes %d to %d pictures, not %d", f.Scene, least, most, n)
	}
	for _, p := range f.Pictures {
		if p == nil || p.Bounds().Empty() {
			return errors.New("film: an empty picture")
		}
	}
	if f.Duration < minDuration || f.Duration > maxDuration {
		return fmt.Errorf("film: a length of %v is not between %v and %v", f.Duration, minDuration, maxDuration)
	}
	if f.Width < minSide || f.Height < minSide || f.Width > maxSide || f.Height > maxSide || f.Width%2 != 0 || f.Height%2 != 0 {
		return fmt.Errorf("film: %d by %d pixels is not an even size between %d and %d", f.Width, f.Height, minSide, maxSide)
	}
	return nil
}
